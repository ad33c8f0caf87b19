import { parseUuid } from '../api/uuid.ts'
import { type Factory, onScrape } from '../platform/observe/metrics.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { fragment, named, param } from '../platform/postgres/sql.ts'
import type { AgentText } from './change.ts'
import { type Claim, type Columns, createStatement, type RevisionRecord } from './change-statement.ts'
import { AGENT_TEXT, agentSql } from './columns.ts'

export async function findAgent(
  sql: Statements,
  teamId: string,
  id: string,
  includeScores: boolean,
): Promise<AgentText | undefined> {
  const [row] = await sql.read<AgentText>(named(includeScores ? 'find-agent-with-scores' : 'find-agent')`
SELECT a.revision, ${AGENT_TEXT} FROM agents a, ${includeScores ? AGENT_WITH_SCORES : AGENT}
WHERE a.team_id = ${teamId} AND a.id = ${id}`)
  return row
}

const AGENT = agentSql('a')
const AGENT_WITH_SCORES = agentSql('a', { includeScores: true })

/** Undefined if the claim failed. */
export async function insertAgent(
  sql: Statements,
  record: RevisionRecord,
  columns: Columns,
  claim: Claim | undefined,
): Promise<AgentText | undefined> {
  const [row] = await sql.write<AgentText>(createStatement(record, columns, claim))
  return row
}

/** Agents of all teams by trust stage, estimated from the statistics that PostgreSQL keeps for its planner:
 * counting would read the whole table. Empty before the first ANALYZE, which autovacuum runs. */
export async function estimateAgents(sql: Pick<Statements, 'read'>): Promise<Map<string, number>> {
  const rows = await sql.read<{ stage: string; count: number }>(named('estimate-agents')`
SELECT stage, round(reltuples * frequency)::float8 AS count
FROM pg_class
JOIN pg_stats ON schemaname = relnamespace::regnamespace::text AND tablename = relname AND attname = 'trust_stage'
CROSS JOIN unnest(most_common_vals::text::text[], most_common_freqs) AS common (stage, frequency)
WHERE pg_class.oid = 'agents'::regclass AND reltuples > 0`)
  return new Map(rows.map(({ stage, count }) => [stage, count]))
}

/** The agent of an external key. */
export interface ImportedAgent {
  external_key: string
  id: string
  revision: number
  /** `deleted`: it can be recovered. `gone`: it is being erased, so that the key is free. */
  state: 'present' | 'deleted' | 'gone'
  /** The mask of its GitHub token, if it has one. */
  github_token_mask: string | null
  /** `import_metadata.imported_at`, Unix time in seconds. */
  imported_at: unknown
}

/** The agents of external keys. The id of an agent stands for that agent, unless it is the external key of another
 * one. */
export async function findByExternalKeys(
  sql: Statements,
  teamId: string,
  keys: readonly string[],
  /** Unix time in seconds. */
  now: number,
): Promise<ImportedAgent[]> {
  const ids = keys.map((key) => {
    const parsed = parseUuid(key)
    return parsed.ok ? parsed.uuid : null
  })
  const team = param(teamId)
  return sql.read(named('find-by-external-keys')`
SELECT wanted.external_key, found.*
FROM unnest(${keys}::text[], ${ids}::uuid[]) AS wanted (external_key, id)
LEFT JOIN imported_agents i ON i.team_id = ${team} AND i.external_key = wanted.external_key
CROSS JOIN LATERAL (
  SELECT a.id, a.revision, 'present' AS state, a.github_token_mask, a.import_metadata -> 'imported_at' AS imported_at
  FROM agents a
  WHERE a.team_id = ${team} AND a.id = coalesce(i.agent_id, wanted.id)
  UNION ALL
  SELECT d.id, d.revision, CASE WHEN d.is_erasing OR d.erase_at <= ${now} THEN 'gone' ELSE 'deleted' END, NULL, NULL
  FROM deleted_agents d
  WHERE d.team_id = ${team} AND d.id = coalesce(i.agent_id, wanted.id)
) found`)
}

/** Fails if the team has the key already, unless it is that of the agent `replaces`, which is being erased. */
export const externalKeyClaim = (externalKey: string, replaces: string | null): Claim => ({
  name: 'imported',
  sql: ({ team, agent, changedAt }) => fragment`
  INSERT INTO imported_agents (team_id, external_key, agent_id, created_at)
  VALUES (${team}, ${externalKey}, ${agent}, ${changedAt})
  ON CONFLICT (team_id, external_key) DO UPDATE SET agent_id = excluded.agent_id, created_at = excluded.created_at
  WHERE imported_agents.agent_id = ${replaces}::uuid`,
})

/** Undefined if they are not known. */
export function observeAgents(create: Factory, latest: () => ReadonlyMap<string, number> | undefined): void {
  const agents = create.gauge(
    'console_agents',
    'Agents of all teams by trust stage, estimated from the statistics of PostgreSQL',
    ['trust_stage'],
  )
  onScrape(agents, () => {
    agents.reset()
    for (const [stage, count] of latest() ?? []) agents.set({ trust_stage: stage }, count)
  })
}
