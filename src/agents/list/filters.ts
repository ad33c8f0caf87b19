import type { AgentFiltersQuery } from '../../contract/agent-filters.ts'
import { type Fragment, fragment, param, raw } from '../../platform/database/sql.ts'

/** The filters that name values, and the columns of `agent_filters` that they compare. */
export const FILTER_COLUMNS = {
  statuses: 'status',
  trust_stages: 'trust_stage',
  protection_statuses: 'protection_status',
  access_levels: 'access_level',
  protocols: 'protocol',
  evaluation: 'evaluation',
  model_names: 'model_name',
  hubs: 'hub',
  tags: 'tags',
} as const

type ValueFilter = keyof typeof FILTER_COLUMNS
export type FilterName = ValueFilter | 'min_score' | 'q'

const VALUE_FILTERS = Object.keys(FILTER_COLUMNS) as ValueFilter[]
const FILTER_NAMES: readonly FilterName[] = [...VALUE_FILTERS, 'min_score', 'q']

/** Which agents of a team a request is about. A filter that is undefined matches every agent, but that of the
 * statuses: archived agents match only if the request names that status. */
export interface AgentFilters extends Record<ValueFilter, readonly string[] | undefined> {
  min_score: number | undefined
  /** Part of a name. */
  q: string | undefined
}

/** Removes duplicate values and sorts them, so that equal filters accept the same cursor. */
export function readFilters(query: AgentFiltersQuery): AgentFilters {
  const values = VALUE_FILTERS.map((name) => {
    const given: readonly string[] = query[name] ?? []
    return [name, given.length > 0 ? [...new Set(given)].toSorted() : undefined]
  })
  return {
    ...Object.fromEntries(values),
    min_score: query.min_score,
    q: query.q === '' ? undefined : query.q,
  }
}

/** The conditions of some filters on a row of `agent_filters`, by the names of the filters. */
export function conditionsOf(
  filters: AgentFilters,
  names: readonly FilterName[] = FILTER_NAMES,
): Map<FilterName, Fragment> {
  const conditions = new Map<FilterName, Fragment>()
  for (const name of names) {
    const condition = conditionOf(name, filters)
    if (condition) conditions.set(name, condition)
  }
  return conditions
}

function conditionOf(name: FilterName, filters: AgentFilters): Fragment | undefined {
  const wanted = filters[name]
  if (wanted === undefined) return name === 'statuses' ? raw(`status <> 'archived'`) : undefined
  if (name === 'min_score') return fragment`score >= ${param(wanted)}::double precision`
  if (name === 'q') return fragment`search_name LIKE lower(${param(searchPattern(String(wanted)))}::text)`
  const operator = raw(name === 'tags' ? '&&' : '= ANY')
  return fragment`${raw(FILTER_COLUMNS[name])} ${operator} (${param(wanted)}::text[])`
}

/** Escapes `%` and `_`, the wildcards of LIKE. PostgreSQL converts both names and pattern to lower case, because
 * JavaScript converts some letters (final sigma, `İ`) differently. */
function searchPattern(q: string): string {
  return `%${q.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
}
