import { type ReactElement, useState } from 'react'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { bearsOnBehaviour } from './fields.ts'
import styles from './records.module.css'

/** More are behind a button: an import can change all fields. */
const SHOWN = 4

interface FieldTagsProps {
  fields: readonly string[]
  className?: string | undefined
}

/** Names of changed fields as the API has them; what bears on behaviour comes first and is marked. */
export function FieldTags({ fields, className }: FieldTagsProps): ReactElement | null {
  const [all, setAll] = useState(false)
  if (fields.length === 0) return null
  const sorted = fields.toSorted(
    (one, other) => Number(bearsOnBehaviour(other)) - Number(bearsOnBehaviour(one)),
  )
  const shown = all || sorted.length <= SHOWN + 1 ? sorted : sorted.slice(0, SHOWN)
  const rest = sorted.length - shown.length
  return (
    <div className={join(styles.tags, className)}>
      {shown.map((field) => (
        <span key={field} className={join(styles.tag, bearsOnBehaviour(field) && styles.behaviour)}>
          {bearsOnBehaviour(field) ? <BehaviourMark /> : null}
          {field}
        </span>
      ))}
      {rest === 0 ? null : (
        <button type="button" className={join(styles.tag, styles.sans)} onClick={() => setAll(true)}>
          +{rest}
          <span className="hid"> more fields</span>
        </button>
      )}
    </div>
  )
}
