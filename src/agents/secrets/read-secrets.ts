import { namedField } from '../../contract/agent-secrets.ts'
import { Problem } from '../../contract/problem.ts'
import { auditEvent, auditOrigin } from '../../platform/database/audit-event.ts'
import type { Sessions, Statement } from '../../platform/database/database.ts'
import { named, param, raw } from '../../platform/database/sql.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { SecretText } from '../../platform/secrets/secret-text.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'

export interface SecretsDeps {
  sql: Sessions
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** The secrets of an agent; null where there is none. */
export interface OpenedSecrets {
  api_key: SecretText | null
  github_token: SecretText | null
  named: [name: string, secret: SecretText][]
}

export type ReadSecrets = (caller: Caller, id: string) => Promise<OpenedSecrets>

interface SealedSecrets {
  api_key_sealed: Buffer | null
  github_token_sealed: Buffer | null
  /** Of the named secrets. */
  names: string[]
  sealed: Buffer[]
}

export function createReadSecrets({ sql, secrets, now, newId }: SecretsDeps): ReadSecrets {
  return async (caller, id) => {
    const { teamId } = caller
    const [found] = await sql
      .of(teamId)
      .write<SealedSecrets>(readStatement(caller, id, Math.floor(now() / 1_000), newId()))
      .catch((error: unknown) => {
        // The audit event may or may not be stored, but nothing was returned or changed: the client can repeat the
        // request.
        if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
        throw new Problem('database_unavailable', { headers: error.headers, cause: error.cause })
      })
    if (!found) throw new Problem('agent_not_found')
    const open = (field: string, bytes: Buffer) => secrets.open({ teamId, agentId: id, field }, bytes)
    const { api_key_sealed: apiKey, github_token_sealed: token, names, sealed } = found
    return {
      api_key: apiKey && open('api_key', apiKey),
      github_token: token && open('github_token', token),
      named: names.map((name, index) => [name, open(namedField(name), sealed[index] as Buffer)]),
    }
  }
}

/** Reads the encrypted secrets of an agent and writes the audit event in the same statement. */
function readStatement(caller: Caller, id: string, nowSeconds: number, eventId: string): Statement {
  const team = param(caller.teamId)
  const agent = param(id)
  return named('read-sealed-secrets')`
WITH found AS (
  SELECT api_key_sealed, github_token_sealed,
    ARRAY(SELECT name FROM agent_secrets WHERE team_id = ${team} AND agent_id = ${agent} ORDER BY name) AS names,
    ARRAY(SELECT sealed FROM agent_secrets WHERE team_id = ${team} AND agent_id = ${agent} ORDER BY name) AS sealed
  FROM agents
  WHERE team_id = ${team} AND id = ${agent}
), audited AS (
  ${auditEvent(auditOrigin(caller, eventId), {
    team,
    at: nowSeconds,
    action: 'secrets_read',
    agent,
    detail: READ_FIELDS,
  })} FROM found
)
SELECT * FROM found`
}

const READ_FIELDS = raw(`json_build_object('fields', array_remove(ARRAY[
    CASE WHEN api_key_sealed IS NOT NULL THEN 'api_key' END,
    CASE WHEN github_token_sealed IS NOT NULL THEN 'white_box_config.github_token' END
  ], NULL) || ARRAY(SELECT '${namedField('')}' || name FROM unnest(names) AS name))`)
