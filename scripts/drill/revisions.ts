import type { Client } from 'pg'
import { ok, problem, type Result } from '../doctor/finding.ts'

/** The agents of a table whose revisions are not exactly 1, 2, 3 and so on, up to the current one. */
export const REVISION_GAPS = (agents: string) => `
SELECT a.id, a.revision::text, count(r.revision)::text AS stored, max(r.revision)::text AS newest
FROM ${agents} a LEFT JOIN agent_revisions r ON r.team_id = a.team_id AND r.agent_id = a.id
GROUP BY a.team_id, a.id, a.revision
HAVING count(r.revision) <> a.revision OR max(r.revision) <> a.revision`

interface Gap {
  id: string
  revision: string
  stored: string
  newest: string | null
}

/** Whether agents of a random sample have all their revisions. */
export async function checkRevisions(client: Client, sample: number): Promise<Result> {
  const { rows: sizes } = await client.query<{ estimate: number }>(
    "SELECT reltuples AS estimate FROM pg_class WHERE oid = 'agents'::regclass",
  )
  const estimate = sizes[0]?.estimate ?? 0
  const percent = estimate > 2 * sample ? (120 * sample) / estimate : 100
  await client.query(
    `CREATE TEMPORARY TABLE sampled_agents AS
     SELECT team_id, id, revision FROM agents TABLESAMPLE SYSTEM (${percent}) LIMIT ${sample}`,
  )
  await client.query('ANALYZE sampled_agents')
  const { rows: counts } = await client.query<{ count: string }>('SELECT count(*) FROM sampled_agents')
  const { rows: gaps } = await client.query<Gap>(REVISION_GAPS('sampled_agents'))
  const [first] = gaps
  if (!first) return ok(`${counts[0]?.count} agents of a sample have all their revisions`)
  return problem(
    `${gaps.length} of ${counts[0]?.count} agents of a sample lack revisions: agent ${first.id} is at revision ` +
      `${first.revision}, and has ${first.stored} revisions up to ${first.newest}.`,
    'Find out since when: restore to earlier times (--time).',
  )
}
