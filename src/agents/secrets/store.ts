import { Problem } from '../../contract/problem.ts'
import { type AuditIds, INSERT_AUDIT_EVENT } from '../../platform/audit-sql.ts'
import type { Statements } from '../../platform/database.ts'

export interface SealedSecrets {
  api_key_sealed: Buffer | null
  github_token_sealed: Buffer | null
}

interface Asking extends AuditIds {
  now: number
  askedBy: string
}

/** Reads the sealed secrets of an agent and records who read them, in one statement. Undefined when the team has no such
 * agent. */
export async function takeSealedSecrets(
  sql: Statements,
  teamId: string,
  id: string,
  { now, askedBy, eventId, requestId }: Asking,
): Promise<SealedSecrets | undefined> {
  const [row] = await sql
    .write<SealedSecrets>({
      name: 'take-sealed-secrets',
      text: TAKE,
      values: [teamId, id, eventId, now, askedBy, requestId],
    })
    .catch((error: unknown) => {
      // It is not known whether the audit record was written. No secret was returned, so the caller can repeat the request.
      if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
      throw new Problem('database_unavailable', { headers: error.headers, cause: error.cause })
    })
  return row
}

const TAKE = `
WITH found AS (
  SELECT api_key_sealed, github_token_sealed FROM agents WHERE team_id = $1 AND id = $2
), traced AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $3, $4, $5, 'secrets_revealed', $2, $6, json_build_object('fields', array_remove(ARRAY[
    CASE WHEN api_key_sealed IS NOT NULL THEN 'api_key' END,
    CASE WHEN github_token_sealed IS NOT NULL THEN 'white_box_config.github_token' END
  ], NULL))
  FROM found
)
SELECT * FROM found`
