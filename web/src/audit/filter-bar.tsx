import type { AuditEvent } from '@agent-console/sdk'
import type { ReactElement, ReactNode } from 'react'
import { useMe } from '../auth/permissions.ts'
import { Button } from '../shared/ui/button.tsx'
import chipStyles from '../shared/ui/chip.module.css'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Popover } from '../shared/ui/menu.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { personName, words } from '../shared/words.ts'
import { ACTIONS, actionOf, VIA } from './actions.ts'
import styles from './audit.module.css'
import { AgentChoice, ChoiceList, TextChoice, TimeChoice, timeText } from './choices.tsx'
import { useAgentNames } from './queries.ts'
import type { AuditSearch } from './search.ts'

/** undefined removes a filter. */
export type SearchChange = { [Name in keyof AuditSearch]: AuditSearch[Name] | undefined }

interface FilterBarProps {
  search: AuditSearch
  onChange: (change: SearchChange) => void
  /** Those on the page: the people to choose from are taken from them. */
  events: readonly AuditEvent[]
}

interface FilterRow {
  name: string
  value: string | undefined
  none: SearchChange
  choice: (change: (changed: SearchChange) => void) => ReactNode
}

export function FilterBar({ search, onChange, events }: FilterBarProps): ReactElement {
  const people = usePeople(events)
  const names = useAgentNames(search.agent_id === undefined ? [] : [search.agent_id])
  const { user_id, action, agent_id, field, via, client_id } = search
  const filters: FilterRow[] = [
    {
      name: 'Time',
      value: timeText(search),
      none: { since: undefined, until: undefined },
      choice: (change) => <TimeChoice search={search} onPick={change} />,
    },
    {
      name: 'Person',
      value: user_id && personName(people.get(user_id), user_id),
      none: { user_id: undefined },
      choice: (change) => (
        <ChoiceList options={[...people]} value={user_id} onPick={(id) => change({ user_id: id })} />
      ),
    },
    {
      name: 'Action',
      value: action && actionOf(action).word,
      none: { action: undefined },
      choice: (change) => (
        <ChoiceList
          options={Object.entries(ACTIONS).map(([value, { word, icon }]) => [value, word, icon] as const)}
          value={action}
          onPick={(value) => change({ action: value })}
        />
      ),
    },
    {
      name: 'Agent',
      value: agent_id && (names.get(agent_id) ?? agent_id.slice(0, 8)),
      none: { agent_id: undefined },
      choice: (change) => <AgentChoice onPick={(id) => change({ agent_id: id })} />,
    },
    {
      name: 'Field',
      value: field,
      none: { field: undefined },
      choice: (change) => <TextChoice value={field ?? ''} onPick={(name) => change({ field: name })} />,
    },
    {
      name: 'Interface',
      value: via && words(VIA, via),
      none: { via: undefined },
      choice: (change) => (
        <ChoiceList options={Object.entries(VIA)} value={via} onPick={(value) => change({ via: value })} />
      ),
    },
  ]
  if (client_id !== undefined) {
    filters.push({
      name: 'Application',
      value: client_id,
      none: { client_id: undefined },
      choice: () => client_id,
    })
  }
  return (
    <div className={join(pageStyles.filters, pageStyles.line, styles.filters, 'wrap')}>
      {filters.map(({ name, value, none, choice }) => (
        <Filter
          key={name}
          name={name}
          operator={name === 'Time' ? undefined : 'is'}
          value={value}
          onRemove={() => onChange(none)}
        >
          {(close) =>
            choice((changed) => {
              close()
              onChange(changed)
            })
          }
        </Filter>
      ))}
      <span className="sp" />
      <span className="sm t3">Times in UTC</span>
    </div>
  )
}

/** Names by id: the signed-in user first, then those who appear in the events. */
function usePeople(events: readonly AuditEvent[]): ReadonlyMap<string, string> {
  const me = useMe()
  const others = events.filter(({ user_id }) => user_id !== me.user_id)
  return new Map([
    [me.user_id, `${me.name ?? 'Me'} (you)`],
    ...others.map(({ user_id, changed_by_name }) => [user_id, personName(changed_by_name, user_id)] as const),
  ])
}

interface FilterProps {
  name: string
  /** Between name and value; a time says it itself. */
  operator?: 'is' | undefined
  /** What is chosen, in words; undefined: the filter is off. */
  value: string | undefined
  onRemove: () => void
  children: (close: () => void) => ReactNode
}

/** A button that adds the filter; once chosen, a chip that changes and removes it. */
function Filter({ name, operator, value, onRemove, children }: FilterProps): ReactElement {
  const trigger =
    value === undefined ? (
      <Button variant="quiet" icon="add">
        {name}
      </Button>
    ) : (
      <button type="button" className={join(chipStyles.text, 'focus-in')}>
        <span className={chipStyles.name}>{name}</span>
        {operator === undefined ? null : <span className={chipStyles.operator}>{operator}</span>}
        <span className={chipStyles.value}>{value}</span>
      </button>
    )
  const popover = (
    <Popover trigger={trigger} title={`Filter by ${name.toLowerCase()}`} className={styles.filterPopover}>
      {children}
    </Popover>
  )
  if (value === undefined) return popover
  return (
    <span className={chipStyles.chip}>
      {popover}
      <button
        type="button"
        className={join(chipStyles.remove, 'focus-in')}
        aria-label={`Remove the filter ${name.toLowerCase()}`}
        onClick={onRemove}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  )
}
