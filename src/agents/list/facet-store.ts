import type { Statements } from '../../platform/database/database.ts'
import type { FactField } from './filter-table.ts'
import { type AgentFilters, factPattern, matchesUncounted, Parameters } from './filters.ts'

export interface FactsPage {
  /** The `facts` of the agents one after the other. */
  facts: Buffer
  /** The last agent of a full page. */
  next: string | undefined
}

/** Above every id that the console makes. */
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Reads the agents before an id, newest first, that match the filters on fields without a facet. */
export async function readFacts(
  sql: Statements,
  teamId: string,
  filters: AgentFilters,
  { after = MAX_ID, size }: { after: string | undefined; size: number },
): Promise<FactsPage> {
  const parameters = new Parameters(teamId, after, size)
  const condition = matchesUncounted(filters, parameters)
  // Each column, and each step between the index and the result, takes some milliseconds for 100,000 agents.
  const newest = 'FROM agent_filters WHERE team_id = $1 AND id < $2 ORDER BY id DESC'
  const page =
    condition === 'true'
      ? `SELECT id, facts ${newest} LIMIT $3`
      : `SELECT id, facts FROM (SELECT id, facts, score, hub, search_name ${newest} OFFSET 0) scanned WHERE ${condition} LIMIT $3`
  const [row] = await sql.read<{ facts: string | null; last_id: string | null }>({
    name: undefined,
    text: `SELECT string_agg(facts, '') AS facts, (array_agg(id))[$3] AS last_id FROM (${page}) page`,
    values: parameters.values,
  })
  return { facts: Buffer.from(row?.facts ?? '', 'base64'), next: row?.last_id ?? undefined }
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
