import type { AuditEvent } from '@agent-console/sdk'
import type { ReactElement, ReactNode } from 'react'
import { useMe } from '../auth/permissions.ts'
import { join } from '../shared/ui/class-names.ts'
import pageStyles from '../shared/ui/page.module.css'
import { personName, words } from '../shared/words.ts'
import { ACTIONS, actionOf, VIA } from './actions.ts'
import { AgentChoice } from './agent-choice.tsx'
import styles from './audit.module.css'
import { ChoiceList, TextChoice } from './choices.tsx'
import { Filter } from './filter.tsx'
import { useAgentNames } from './queries.ts'
import type { AuditSearch } from './search.ts'
import { TimeChoice, timeText } from './time-choice.tsx'

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
