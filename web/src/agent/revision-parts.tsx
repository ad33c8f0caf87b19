import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { BehaviourMark } from '../shared/ui/badges.tsx'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import type { IconName } from '../shared/ui/icon.tsx'
import { Menu, MenuRadioGroup } from '../shared/ui/menu.tsx'
import { STAGES, words } from '../shared/words.ts'
import { bearsOnBehaviour } from './fields/labels.ts'
import { pastAgentQuery } from './queries.ts'
import styles from './revisions.module.css'

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

interface StageMoveProps {
  agentId: string
  revision: number
}

/** The list of revisions does not tell the new stage. Stage moves are rare, so each is read by itself. */
export function StageMove({ agentId, revision }: StageMoveProps): ReactElement {
  const { data } = useQuery(pastAgentQuery(agentId, revision))
  if (data === undefined) return <span className="t2">moved the trust stage</span>
  return (
    <>
      <span className="t2">moved to</span> {words(STAGES, data.agent.trust_stage)}
    </>
  )
}

interface ChoiceMenuProps {
  icon: IconName
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** The value of the choice that filters nothing. */
export const ALL = ''

/** A filter of a list of revisions. */
export function ChoiceMenu({ icon, label, value, options, onChange }: ChoiceMenuProps): ReactElement {
  const chosen = options.find((option) => option.value === value)
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon={icon} {...(value === ALL ? {} : { on: true })}>
          <span className={join(styles.filterName, 'cut')}>{chosen?.label ?? value}</span>
        </Button>
      }
    >
      <MenuRadioGroup label={label} value={value} options={options} onChange={onChange} />
    </Menu>
  )
}
