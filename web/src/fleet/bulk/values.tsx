import { type ReactElement, useId } from 'react'
import badgesStyles from '../../shared/ui/badges.module.css'
import { RadioLine } from '../../shared/ui/inputs.tsx'
import { FilterGlyph } from '../facets.tsx'
import styles from '../fleet.module.css'
import { type BulkKind, KINDS } from './change.ts'

const GLYPHS = { stage: 'trust_stages', status: 'statuses', protection: 'protection_statuses' } as const

interface ValuesProps {
  kind: BulkKind
  value: string | undefined
  disabled: boolean
  onChange: (value: string) => void
}

/** What the agents can be set to. */
export function Values({ kind, value, disabled, onChange }: ValuesProps): ReactElement {
  const group = useId()
  if (kind === 'archive') {
    return (
      <p className="t2">
        Archived agents leave the list and keep their history. You can set another status later.
      </p>
    )
  }
  const { title, values } = KINDS[kind]
  return (
    <fieldset className={styles.choices} disabled={disabled}>
      <legend className="hid">{title}</legend>
      {Object.entries(values).map(([each, label]) => (
        <RadioLine key={each} name={group} checked={value === each} onChange={() => onChange(each)}>
          <span className={badgesStyles.badge}>
            <FilterGlyph name={GLYPHS[kind]} value={each} />
            {label}
          </span>
        </RadioLine>
      ))}
    </fieldset>
  )
}
