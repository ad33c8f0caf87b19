import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import type { Core } from '../../core.ts'
import {
  EMPTY,
  type Fragment,
  fragment,
  join,
  param,
  raw,
  type Statement,
  unnamed,
} from '../../platform/postgres/sql.ts'
import { type AgentFilters, conditionsOf, FILTER_COLUMNS, type FilterName, readFilters } from './queries.ts'
import { type AgentFacets, type AgentFacetsQuery, EVALUATION_STATES, MAX_FACET_VALUES } from './schema.ts'

/** Older agents are not counted. */
const MAX_COUNTED = 100_000

export async function countFacets(
  { database }: Core,
  { teamId }: Caller,
  query: AgentFacetsQuery,
  maxAgents = MAX_COUNTED,
): Promise<AgentFacets> {
  const statement = facetsStatement(teamId, readFilters(query), maxAgents)
  const rows = await database.searches.of(teamId).read<CountRow>(statement)
  const counts = Map.groupBy(rows, ({ facet }) => facet)
  const found = (facet: string) => (counts.get(facet) ?? []).map(({ value, count }) => ({ value, count }))
  const each = (facet: string, values: readonly string[]) => {
    const countOf = new Map(found(facet).map(({ value, count }) => [value, count]))
    return values.map((value) => ({ value, count: countOf.get(value) ?? 0 }))
  }
  return {
    count: counts.get('count')?.[0]?.count ?? 0,
    approximate: counts.get('older')?.[0]?.count === 1,
    facets: {
      statuses: each('statuses', AGENT_STATUSES),
      trust_stages: each('trust_stages', TRUST_STAGES),
      protection_statuses: each('protection_statuses', PROTECTION_STATUSES),
      access_levels: each('access_levels', ACCESS_LEVELS),
      protocols: each('protocols', PROTOCOLS),
      evaluation: each('evaluation', EVALUATION_STATES),
      model_names: found('model_names'),
      tags: found('tags'),
    },
  }
}

interface CountRow {
  facet: string
  value: string
  count: number
}

/** The filters with a facet of one value for each agent, and their columns. */
const { hubs: _hubs, tags: _tags, ...FACETS } = FILTER_COLUMNS
const FACET_NAMES = Object.keys(FACETS) as (keyof typeof FACETS)[]
const COLUMNS = raw(Object.values(FACETS).join(', '))

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** Counts each combination of values once, and adds these numbers up for each facet under the filters of the
 * others. An agent has many tags, so tags are counted from the rows. */
export function facetsStatement(teamId: string, filters: AgentFilters, maxAgents: number): Statement {
  const team = param(teamId)
  const faceted = conditionsOf(filters, [...FACET_NAMES, 'tags'])
  const others = conditionsOf(filters, ['hubs', 'min_score', 'q']).values()
  const counted = raw(`id >= coalesce((SELECT id FROM oldest), '${LOWEST_ID}')`)
  const scanned = join([fragment`team_id = ${team}`, counted, ...others], ' AND ')
  const hasTags = faceted.get('tags') ?? raw('true')
  const without = (name?: FilterName) => {
    const conditions = new Map(faceted).set('tags', raw('has_tags'))
    if (name) conditions.delete(name)
    return join([...conditions.values()], ' AND ')
  }
  const byColumn = FACET_NAMES.map((facet) => {
    const column = raw(FACETS[facet])
    return fragment`
(SELECT '${raw(facet)}', ${column}, sum(agents)::bigint FROM combinations WHERE ${without(facet)}
GROUP BY ${column} ${facet === 'model_names' ? mostFrequent(column) : EMPTY})`
  })
  return unnamed`
WITH oldest AS (
  SELECT id FROM agent_filters WHERE team_id = ${team} ORDER BY id DESC OFFSET ${maxAgents - 1} LIMIT 1
), combinations AS (
  SELECT ${COLUMNS}, ${hasTags} AS has_tags, count(*) AS agents FROM agent_filters WHERE ${scanned}
  GROUP BY ${COLUMNS}, has_tags
)
SELECT 'count' AS facet, '' AS value, coalesce(sum(agents), 0)::bigint AS count FROM combinations WHERE ${without()}
UNION ALL
SELECT 'older', '', count(*) FROM (
  SELECT FROM agent_filters WHERE team_id = ${team} AND id < (SELECT id FROM oldest) LIMIT 1
) older
UNION ALL ${join(byColumn, '\nUNION ALL ')}
UNION ALL
(SELECT 'tags', tag, count(*) FROM (
  SELECT unnest(tags) AS tag FROM agent_filters WHERE ${scanned} AND ${without('tags')}
) each_tag
GROUP BY tag ${mostFrequent(raw('tag'))})`
}

const mostFrequent = (value: Fragment) =>
  fragment`ORDER BY 3 DESC, ${value} COLLATE "C" LIMIT ${raw(MAX_FACET_VALUES)}`
