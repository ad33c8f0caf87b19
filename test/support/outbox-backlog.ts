import { Client } from 'pg'

export interface Backlog {
  teamIds: string[]
  agentsPerTeam: number
  revisions: number
}

/** Inserts events into the outbox as updates do. The agents need not exist. */
export async function fillOutbox(databaseUrl: string, backlog: Backlog): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(FILL, [backlog.teamIds, backlog.agentsPerTeam, backlog.revisions])
  } finally {
    await client.end()
  }
}

const FILL = `
INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
SELECT team_id, agent_id, revision, agent_id || ':' || revision, 'updated', json_build_object(
  'fields', json_build_array('agent_name', 'purpose', 'agent_system_prompt'),
  'changed_by', gen_random_uuid(),
  'changed_at', extract(epoch FROM now())::bigint)
FROM (SELECT team_id, gen_random_uuid() AS agent_id FROM unnest($1::uuid[]) AS team_id, generate_series(1, $2::int)) agents,
  generate_series(1, $3::int) AS revision
ORDER BY revision, agent_id`
