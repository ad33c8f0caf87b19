import { namedField } from '../../contract/agent-secrets.ts'
import { Problem } from '../../contract/problem.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../../platform/database/audit-sql.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { NamedSecrets } from '../change-agent.ts'

export interface SealedSecrets {
  api_key_sealed: Buffer | null
  github_token_sealed: Buffer | null
  /** Of the named secrets. */
  names: string[]
  sealed: Buffer[]
}

/** Reads the encrypted secrets of an agent and writes the audit event in the same statement. Undefined if the team has no
 * such agent. */
export async function readSealedSecrets(
  sql: Statements,
  teamId: string,
  id: string,
  nowSeconds: number,
  origin: AuditOrigin,
): Promise<SealedSecrets | undefined> {
  const [row] = await sql
    .write<SealedSecrets>({
      name: 'read-sealed-secrets',
      text: READ,
      values: [teamId, id, nowSeconds, ...originParameters(origin)],
    })
    .catch((error: unknown) => {
      // The audit event may or may not be stored, but nothing was returned or changed: the client can repeat the request.
      if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
      throw new Problem('database_unavailable', { headers: error.headers, cause: error.cause })
    })
  return row
}

const READ = `
WITH found AS (
  SELECT api_key_sealed, github_token_sealed,
    ARRAY(SELECT name FROM agent_secrets WHERE team_id = $1 AND agent_id = $2 ORDER BY name) AS names,
    ARRAY(SELECT sealed FROM agent_secrets WHERE team_id = $1 AND agent_id = $2 ORDER BY name) AS sealed
  FROM agents
  WHERE team_id = $1 AND id = $2
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $5, $3, $4, 'secrets_read', $2, $6, $7, $8, json_build_object('fields', array_remove(ARRAY[
    CASE WHEN api_key_sealed IS NOT NULL THEN 'api_key' END,
    CASE WHEN github_token_sealed IS NOT NULL THEN 'white_box_config.github_token' END
  ], NULL) || ARRAY(SELECT '${namedField('')}' || name FROM unnest(names) AS name))
  FROM found
)
SELECT * FROM found`

/** Undefined if the agent has no such secret. */
export async function findFingerprint(
  sql: Statements,
  teamId: string,
  id: string,
  name: string,
): Promise<Buffer | undefined> {
  const [row] = await sql.read<{ fingerprint: Buffer }>({
    name: 'find-secret-fingerprint',
    text: 'SELECT fingerprint FROM agent_secrets WHERE team_id = $1 AND agent_id = $2 AND name = $3',
    values: [teamId, id, name],
  })
  return row?.fingerprint
}

/** Masks and revisions of the named secrets. Undefined if the team has no such agent. */
export async function findNamedSecrets(
  sql: Statements,
  teamId: string,
  id: string,
): Promise<NamedSecrets | undefined> {
  const [row] = await sql.read<{ named_secrets: NamedSecrets | null }>({
    name: 'find-named-secrets',
    text: 'SELECT named_secrets FROM agents WHERE team_id = $1 AND id = $2',
    values: [teamId, id],
  })
  return row && (row.named_secrets ?? {})
}
