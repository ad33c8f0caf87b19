import type { Client } from 'pg'
import { namedField } from '../../src/agent/secrets/schema.ts'
import type { Config } from '../../src/config/config.ts'
import { Secrets } from '../../src/platform/crypto/secrets.ts'
import { param, unnamed } from '../../src/platform/postgres/sql.ts'
import { ok, problem, type Result, skipped } from './finding.ts'

interface Row {
  teamId: string
  agentId: string
  field: string
  name: string | null
  sealed: Buffer
}

const SAMPLE_SIZE = 500
/** Of a database in use. */
const MAX_ROWS_READ = 10_000

/** Whether SECRETS_KEYS opens what is stored, by a sample. The opened secrets are thrown away. */
export async function checkStoredSecrets(
  client: Client,
  { config }: { config: Pick<Config, 'secretsKeys'> },
  maxRowsRead: number | null = MAX_ROWS_READ,
): Promise<Result[]> {
  const secrets = new Secrets(config.secretsKeys)
  // `LIMIT NULL` reads all rows.
  const [maxRows, sampleSize] = [param(maxRowsRead), param(SAMPLE_SIZE)]
  const { rows } = await client.query<Row>(unnamed`
    (SELECT team_id AS "teamId", id AS "agentId", 'api_key' AS field, NULL AS name, api_key_sealed AS sealed
    FROM (SELECT * FROM agents LIMIT ${maxRows}) AS read WHERE api_key_sealed IS NOT NULL LIMIT ${sampleSize})
    UNION ALL
    (SELECT team_id, id, 'github_token', NULL, github_token_sealed
    FROM (SELECT * FROM agents LIMIT ${maxRows}) AS read WHERE github_token_sealed IS NOT NULL LIMIT ${sampleSize})
    UNION ALL
    (SELECT team_id, agent_id, '', name, sealed FROM agent_secrets LIMIT ${sampleSize})`)
  if (rows.length === 0) return [skipped('no secret is stored in the agents that were looked at')]
  const failures = rows.flatMap(({ teamId, agentId, field, name, sealed }) => {
    try {
      secrets.open({ teamId, agentId, field: name === null ? field : namedField(name) }, sealed)
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  })
  if (failures.length === 0) return [ok(`SECRETS_KEYS opens the ${rows.length} stored secrets of a sample`)]
  return [
    problem(
      `SECRETS_KEYS does not open ${failures.length} of ${rows.length} stored secrets of a sample: ${failures[0]}.`,
      'Add the key that sealed them to the end of SECRETS_KEYS; it may be in the backup of the keys.',
    ),
  ]
}
