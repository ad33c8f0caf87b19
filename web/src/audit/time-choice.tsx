import { type ReactElement, useState } from 'react'
import { formatUtc, nowSeconds } from '../shared/time.ts'
import { Button } from '../shared/ui/button.tsx'
import { Field } from '../shared/ui/field.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import styles from './audit.module.css'
import { fromField, toField } from './clock.ts'
import type { AuditSearch } from './search.ts'

const HOUR = 3600
const SPANS = [
  ['Last hour', HOUR],
  ['24 hours', 24 * HOUR],
  ['7 days', 7 * 24 * HOUR],
  ['30 days', 30 * 24 * HOUR],
] as const

/** "since 2026-11-14 11:00", "until …" or both; undefined without either. */
export function timeText({ since, until }: AuditSearch): string | undefined {
  const parts = [
    since === undefined ? undefined : `since ${minuteUtc(since)}`,
    until === undefined ? undefined : `until ${minuteUtc(until)}`,
  ].filter(Boolean)
  return parts.length === 0 ? undefined : parts.join(' ')
}

const minuteUtc = (at: number): string => toField(at).replace('T', ' ') || formatUtc(at)

interface TimeChoiceProps {
  search: AuditSearch
  onPick: (change: { since: number | undefined; until: number | undefined }) => void
}

/** A field that was not edited keeps its time: it shows whole minutes of years with four digits only. */
const timeOf = (text: string, before: number | undefined): number | undefined =>
  text === toField(before) ? before : fromField(text)

export function TimeChoice({ search, onPick }: TimeChoiceProps): ReactElement {
  const [since, setSince] = useState(toField(search.since))
  const [until, setUntil] = useState(toField(search.until))
  const reversed = since !== '' && until !== '' && since >= until
  return (
    <form
      className="col col-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!reversed) onPick({ since: timeOf(since, search.since), until: timeOf(until, search.until) })
      }}
    >
      <div className="row wrap">
        {SPANS.map(([label, seconds]) => (
          <Button key={label} onClick={() => onPick({ since: nowSeconds() - seconds, until: undefined })}>
            {label}
          </Button>
        ))}
      </div>
      <div className={styles.times}>
        <Field label="From (UTC)">
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={since}
              onChange={(event) => setSince(event.target.value)}
            />
          )}
        </Field>
        <Field label="Until (UTC)" fault={reversed ? 'It must be later than the beginning.' : undefined}>
          {(control) => (
            <TextInput
              {...control}
              type="datetime-local"
              value={until}
              onChange={(event) => setUntil(event.target.value)}
            />
          )}
        </Field>
      </div>
      <span>
        <Button
          type="submit"
          variant="primary"
          off={reversed ? 'The end must be later than the beginning' : false}
        >
          Show this time
        </Button>
      </span>
    </form>
  )
}
