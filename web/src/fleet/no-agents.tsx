import type { AgentFacets } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useOff } from '../auth/permissions.ts'
import { formatCount } from '../shared/format.ts'
import type { Search } from '../shared/search.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { State } from '../shared/ui/states.tsx'
import { countsOf } from './counts.ts'
import {
  FILTER_NAMES,
  fleetSearch,
  hasFilters,
  LIST_FILTERS,
  type ListFilter,
  textOf,
  valuesOf,
  withoutFilters,
  wordOf,
} from './search.ts'

interface NoAgentsProps extends EmptyFleetProps, NoMatchProps {}

/** Instead of a list without rows. */
export function NoAgents({ search, counts, onCreate, onImport }: NoAgentsProps): ReactElement {
  if (hasFilters(search)) return <NoMatch search={search} counts={counts} />
  return <EmptyFleet onCreate={onCreate} onImport={onImport} />
}

interface EmptyFleetProps {
  onCreate: () => void
  onImport: () => void
}

/** The team has no agent yet. */
function EmptyFleet({ onCreate, onImport }: EmptyFleetProps): ReactElement {
  const off = useOff('agent:write')
  return (
    <State
      icon="fleet"
      title="Register your first agent"
      actions={
        <>
          <Button variant="primary" icon="add" shortcut="N" off={off} onClick={onCreate}>
            New agent
          </Button>
          <Button icon="upload" off={off} onClick={onImport}>
            Import JSON
          </Button>
        </>
      }
      note={
        <span className="sm t3">
          or <span className="mono">POST /v1/agent-configurations</span>
        </span>
      }
    >
      Only a name and a model are needed. Everything else can follow, and each change is kept as a revision.
    </State>
  )
}

interface NoMatchProps {
  search: Search
  counts: AgentFacets | undefined
}

/** Says which filter stands in the way, where the counts tell. */
function NoMatch({ search, counts }: NoMatchProps): ReactElement {
  const way = wayOut(search, counts)
  const isSearchOnly = filterWords(search).length === 0
  return (
    <State
      icon="search"
      title="No agent matches"
      actions={
        <>
          {way === undefined ? null : (
            <Link
              to="/agents"
              search={fleetSearch({ ...search, [way.name]: undefined })}
              activeProps={{}}
              className={buttonStyles.button}
            >
              <Icon name="close" size="s" />
              Remove the {LIST_FILTERS[way.name].label.toLowerCase()} filter
            </Link>
          )}
          <Link to="/agents" search={withoutFilters(search)} activeProps={{}} className={buttonStyles.button}>
            {isSearchOnly ? 'Clear the search' : 'Clear all filters'}
          </Link>
        </>
      }
    >
      {sentence(search)}
      {way === undefined
        ? ''
        : ` Without the ${LIST_FILTERS[way.name].label.toLowerCase()} filter, ` +
          `${formatCount(way.count)} ${way.count === 1 ? 'does' : 'do'}.`}
    </State>
  )
}

/** Filters whose counts do not overlap: an agent has one status, but several tags. */
const EXACT: readonly ListFilter[] = [
  'statuses',
  'trust_stages',
  'protection_statuses',
  'evaluation',
  'access_levels',
  'protocols',
]

/** A facet ignores its own filter, so that its sum is what the list has without that filter. */
function wayOut(
  search: Search,
  counts: AgentFacets | undefined,
): { name: ListFilter; count: number } | undefined {
  const ways = EXACT.filter((name) => valuesOf(search, name).length > 0).map((name) => ({
    name,
    count: countsOf(counts, name).reduce((sum, { count }) => sum + count, 0),
  }))
  return ways.toSorted((a, b) => b.count - a.count).find(({ count }) => count > 0)
}

/** "status Active or Draft", one text for each filter that is on. */
function filterWords(search: Search): string[] {
  const lists = FILTER_NAMES.flatMap((name) => {
    const values = valuesOf(search, name).map((value) => wordOf(name, value))
    return values.length === 0 ? [] : [`${LIST_FILTERS[name].label.toLowerCase()} ${values.join(' or ')}`]
  })
  const score = textOf(search, 'min_score')
  return score === undefined ? lists : [...lists, `a score of at least ${score}`]
}

const LIST = new Intl.ListFormat('en')

function sentence(search: Search): string {
  const q = textOf(search, 'q')
  const filters = LIST.format(filterWords(search))
  if (filters === '') return `No agent has “${q ?? ''}” in its name.`
  return q === undefined ? `No agent has ${filters}.` : `No agent with “${q}” in its name has ${filters}.`
}
