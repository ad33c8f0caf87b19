import type { Statements } from '../platform/database/database.ts'

/** The requests per minute of an agent. Undefined if the team has no such agent. */
export async function findLimit(sql: Statements, teamId: string, id: string): Promise<number | undefined> {
  const [row] = await sql.read<{ rate_limit_requests_per_minute: number }>({
    name: 'find-request-limit',
    text: 'SELECT rate_limit_requests_per_minute FROM agents WHERE team_id = $1 AND id = $2',
    values: [teamId, id],
  })
  return row?.rate_limit_requests_per_minute
}
