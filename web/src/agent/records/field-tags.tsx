import { type ReactElement, useState } from 'react'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { bearsOnBehaviour } from './fields.ts'

/** More are behind a button: an import can change all fields. */
const SHOWN = 4

/** Names of changed fields as the API has them; what bears on behaviour comes first and is marked. */
export function FieldTags({ fields }: { fields: readonly string[] }): ReactElement | null {
  const [all, setAll] = useState(false)
  if (fields.length === 0) return null
  const sorted = fields.toSorted(
    (one, other) => Number(bearsOnBehaviour(other)) - Number(bearsOnBehaviour(one)),
  )
  const shown = all || sorted.length <= SHOWN + 1 ? sorted : sorted.slice(0, SHOWN)
  const rest = sorted.length - shown.length
  return (
    <div className="fields">
      {shown.map((field) => (
        <span key={field} className={join('tag', bearsOnBehaviour(field) && 'bh')}>
          {bearsOnBehaviour(field) ? <BehaviourMark /> : null}
          {field}
        </span>
      ))}
      {rest === 0 ? null : (
        <button type="button" className="tag sans" onClick={() => setAll(true)}>
          +{rest}
          <span className="hid"> more fields</span>
        </button>
      )}
    </div>
  )
}
