import type { Statements } from '../../platform/database/database.ts'
import { countPassedBytes } from '../../platform/minor-gc.ts'
import type { FactField } from './filter-table.ts'
import { type AgentFilters, factPattern, matchesUncounted, Parameters } from './filters.ts'

/** Above every id that the console makes. */
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Agents of a team: those before the id `after`, down to the id `until` itself. Undefined: the newest, the oldest. */
export interface IdRange {
  after: string | undefined
  until: string | undefined
}

/** Reads the newest agents of a range that match the filters on fields without a facet: their `facts` one after the other, and
 * the last of them if there are so many. */
export async function readNewest(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  range: IdRange,
  size: number,
): Promise<{ facts: Buffer; last: string | undefined }> {
  const parameters = new Parameters(teamId)
  const found = factsIn(range, filters, parameters)
  const limit = parameters.add(size)
  const [row] = await sql.read<{ facts: string | null; last: string | null }>({
    name: undefined,
    text: `SELECT string_agg(facts, '') AS facts, (array_agg(id))[${limit}] AS last FROM (${found} LIMIT ${limit}) page`,
    values: parameters.values,
  })
  return { facts: takeFacts(row), last: row?.last ?? undefined }
}

/** Reads all of them, in half the time. */
export async function readRange(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  range: IdRange,
): Promise<Buffer> {
  const parameters = new Parameters(teamId)
  const [row] = await sql.read<{ facts: string | null }>({
    name: undefined,
    text: `SELECT string_agg(facts, '') AS facts FROM (${factsIn(range, filters, parameters)}) page`,
    values: parameters.values,
  })
  return takeFacts(row)
}

/** What a byte of `facts` takes on its way here, in base64: as it arrived, in a buffer that is doubled until it has room, and as a
 * string. */
const PASSED_FOR_BYTE = 4

/** V8 may keep a row until a major collection, so the row gives its text away. Otherwise every third request waits for one. */
function takeFacts(row: { facts: string | null } | undefined): Buffer {
  if (!row?.facts) return Buffer.alloc(0)
  const facts = Buffer.from(row.facts, 'base64')
  row.facts = null
  countPassedBytes(PASSED_FOR_BYTE * facts.length)
  return facts
}

/** Whether agents before this id match. */
export async function hasAgents(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  after: string,
): Promise<boolean> {
  const { facts } = await readNewest(sql, teamId, filters, { after, until: undefined }, 1)
  return facts.length > 0
}

function factsIn({ after = MAX_ID, until }: IdRange, filters: AgentFilters, parameters: Parameters): string {
  const lowest = until === undefined ? '' : `AND id >= ${parameters.add(until)}`
  const newest = `FROM agent_filters WHERE team_id = $1 AND id < ${parameters.add(after)} ${lowest} ORDER BY id DESC`
  const conditions = matchesUncounted(filters, parameters)
  // Each column, and each step between the index and the result, takes some milliseconds for 100,000 agents.
  if (conditions.length === 0) return `SELECT id, facts ${newest}`
  return `SELECT id, facts FROM (SELECT id, facts, score, hub, search_name ${newest} OFFSET 0) scanned WHERE ${conditions.join(' AND ')}`
}

/** The texts of keys. Each is looked up among the agents before an id, newest first. */
export async function readValues(
  sql: Statements,
  teamId: string,
  field: FactField,
  wanted: readonly { key: string; after: string | undefined }[],
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map()
  const rows = await sql.read<{ n: number; value: string | null }>({
    name: `facet-values-${field}`,
    text: VALUES[field],
    values: [
      teamId,
      wanted.map(({ key }) => factPattern(field, key)),
      wanted.map(({ after = MAX_ID }) => after),
    ],
  })
  return new Map(
    rows.flatMap(({ n, value }) => (value === null ? [] : [[wanted[n - 1]?.key as string, value] as const])),
  )
}

const valuesOf = (value: string) => `
SELECT wanted.n::integer AS n, ${value} AS value
FROM unnest($2::text[], $3::uuid[]) WITH ORDINALITY AS wanted (pattern, after, n)
CROSS JOIN LATERAL (
  SELECT id FROM (
    SELECT id, facts FROM agent_filters WHERE team_id = $1 AND id < wanted.after ORDER BY id DESC OFFSET 0
  ) scanned
  WHERE facts LIKE wanted.pattern LIMIT 1
) found
JOIN agents a ON a.team_id = $1 AND a.id = found.id`

const VALUES = {
  model: valuesOf('a.model_name'),
  tag: valuesOf(`(
  SELECT tag FROM json_array_elements_text(a.agent_metadata -> 'tags') AS tag 
  WHERE wanted.pattern = '%' || filter_key('tag', tag) || '%' LIMIT 1
)`),
}
