import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactElement, useDeferredValue, useState } from 'react'
import { api, keys } from '../api/client.ts'
import { describe } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { formatUtc, nowSeconds } from '../shared/format.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Field } from '../shared/ui/field.tsx'
import { Icon, type IconName } from '../shared/ui/icon.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import menuStyles from '../shared/ui/menu.module.css'
import styles from './audit.module.css'
import { type AuditSearch, fromField, toField } from './search.ts'

interface ChoiceListProps {
  /** Values with their words, and the icons that the table shows for them. */
  options: readonly (readonly [string, string, IconName?])[]
  value: string | undefined
  onPick: (value: string) => void
}

export function ChoiceList({ options, value, onPick }: ChoiceListProps): ReactElement {
  return (
    <ul className={styles.choices}>
      {options.map(([each, word, icon]) => (
        <li key={each}>
          <button
            type="button"
            className={join(menuStyles.item, 'focus-in')}
            aria-pressed={each === value}
            onClick={() => onPick(each)}
          >
            {icon === undefined ? null : <Icon name={icon} size="s" className="t2" />}
            <span className="cut grow">{word}</span>
            {each === value ? <Icon name="check" size="xs" /> : null}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface TextChoiceProps {
  value: string
  onPick: (value: string) => void
}

/** The name of a field of an agent. */
export function TextChoice({ value, onPick }: TextChoiceProps): ReactElement {
  const [text, setText] = useState(value)
  return (
    <form
      className="col col-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onPick(text.trim())
      }}
    >
      <Field
        label="Field"
        hint="As the API names it: agent_system_prompt, or secrets.crm_token for a named secret."
      >
        {(control) => (
          <TextInput
            {...control}
            mono
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <span>
        <Button type="submit" variant="primary" off={text.trim() === '' ? 'Name a field first' : false}>
          Show its events
        </Button>
      </span>
    </form>
  )
}

const SHOWN = 8

/** Finds an agent by its name. */
export function AgentChoice({ onPick }: { onPick: (id: string) => void }): ReactElement {
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const off = useOff('agent:read')
  const query = {
    ...(q === '' ? {} : { q }),
    limit: SHOWN,
    sort: 'agent_name' as const,
    fields: ['agent_name' as const],
  }
  const { data, error } = useQuery({
    queryKey: keys.list(query),
    queryFn: ({ signal }) => api().agents.list(query, { signal }),
    enabled: off === false,
    placeholderData: keepPreviousData,
  })
  if (off !== false) return <p className="t2">{off}</p>
  return (
    <div className="col col-3">
      <Field label="Name">
        {(control) => (
          <TextInput
            {...control}
            icon="search"
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {error === null ? (
        data?.results.length === 0 ? (
          <p className="t2">No agent has this in its name.</p>
        ) : (
          <ChoiceList
            options={(data?.results ?? []).map(({ id, agent_name }) => [id, agent_name])}
            value={undefined}
            onPick={onPick}
          />
        )
      ) : (
        <p className="danger-t">{describe(error).detail}</p>
      )}
    </div>
  )
}

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
