import type { Statements } from '../platform/database/database.ts'
import { named } from '../platform/database/sql.ts'

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
