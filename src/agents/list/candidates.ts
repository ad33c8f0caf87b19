import type { Statement, Statements } from '../../platform/database/database.ts'
import { type FactField, FLAG_FIELD_NAMES, FLAG_FIELDS, type FlagField, filterKey } from './filter-table.ts'
import { type AgentFilters, matchesFilters, Parameters, searchPattern } from './filters.ts'
import { shareSql } from './statement.ts'

/** A page of the candidates is found and sorted in a few milliseconds. */
const MAX_CANDIDATES = 1_000

/** At this share of matches, a walk through the index of the order reads about 20,000 entries to fill a page of 100. */
const MIN_SHARE_FOR_WALK = 0.005

/** The ids of some agents, among them all that match the filters; found by an index of the rarest filter. Undefined if many agents
 * match: then a walk through the index of the order fills a page soon. */
export async function findCandidates(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  minShareForWalk = MIN_SHARE_FOR_WALK,
): Promise<string[] | undefined> {
  const [sample] = await sql.read<{ share: number }>(sampleStatement(teamId, filters))
  if ((sample?.share ?? 0) >= minShareForWalk) return undefined
  for (const statement of lookups(teamId, filters)) {
    const rows = await sql.read<{ id: string }>(statement)
    if (rows.length <= MAX_CANDIDATES) return rows.map(({ id }) => id)
  }
  return undefined
}

function sampleStatement(teamId: string, filters: AgentFilters): Statement {
  const parameters = new Parameters(teamId)
  const condition = matchesFilters(filters, parameters)
  const columns = 'flags, score, hub, facts, search_name'
  return {
    name: undefined,
    text: shareSql('agent_filters', columns, condition, parameters),
    values: parameters.values,
  }
}

function* lookups(teamId: string, filters: AgentFilters): Generator<Statement> {
  const { q, minScore } = filters
  const limit = MAX_CANDIDATES + 1
  const lookUp = (table: string, condition: (parameters: Parameters) => string): Statement => {
    const parameters = new Parameters(teamId)
    const text = `SELECT id FROM ${table} WHERE team_id = $1 AND ${condition(parameters)} LIMIT ${limit}`
    return { name: undefined, text, values: parameters.values }
  }
  if (q !== undefined) {
    yield lookUp(
      'agents',
      (parameters) => `lower(agent_name) LIKE lower(${parameters.add(searchPattern(q))}::text)`,
    )
  }
  if (minScore !== undefined) {
    yield lookUp('agent_filters', (parameters) => `score >= ${parameters.add(minScore)}::double precision`)
  }
  const values = indexedValues(filters)
  if (values.length > 0) {
    const parameters = new Parameters(teamId)
    const condition = values.map((anyOf) => hasAnyValue(parameters.add(anyOf))).join(' AND ')
    // The values are those of the team. OFFSET 0 stops the planner from looking up all agents of the team as well.
    const text = `
SELECT id FROM (SELECT team_id, id FROM agent_filters WHERE ${condition} OFFSET 0) found
WHERE team_id = $1 LIMIT ${limit}`
    yield { name: undefined, text, values: parameters.values }
  }
}

const hasAnyValue = (values: string) =>
  'filter_values(team_id, flags, hub, facts) && ARRAY(' +
  `SELECT hashtextextended(value COLLATE "C", uuid_hash_extended($1, 0)) FROM unnest(${values}::text[]) AS value)`

/** For each filter, the values of which an agent has one, as `filter_values` of the database makes them. */
function indexedValues({ hubs, modelNames, tags, minScore, ...flags }: AgentFilters): string[][] {
  const keys = (field: FactField | 'hub', values: readonly string[] | undefined) =>
    values?.map((value) => filterKey(field, value))
  const bits = (field: FlagField, chosen: readonly string[]) => {
    const { values, firstBit } = FLAG_FIELDS[field]
    return chosen.map((value) => String(firstBit + (values as readonly string[]).indexOf(value)))
  }
  // Most agents have one of many values.
  const few = FLAG_FIELD_NAMES.filter((field) => flags[field].length <= FLAG_FIELDS[field].values.length / 2)
  return [
    ...few.map((field) => bits(field, flags[field])),
    // Without an evaluation there is no score.
    minScore === undefined ? undefined : bits('evaluation', ['current', 'outdated']),
    ...[keys('hub', hubs), keys('model', modelNames), keys('tag', tags)],
  ].filter((values) => values !== undefined)
}
