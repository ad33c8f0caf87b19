import { namedField } from '../../contract/agent-secrets.ts'
import { Problem } from '../../contract/problem.ts'
import { auditOrigin } from '../../platform/database/audit-sql.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { SecretText } from '../../platform/secrets/secret-text.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { readSealedSecrets } from './store.ts'

export interface SecretsDeps {
  sql: Sql
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

export function createReadSecrets({ sql, secrets, now, newId }: SecretsDeps): ReadSecrets {
  return async (caller, id) => {
    const { teamId } = caller
    const sealed = await readSealedSecrets(
      sql,
      teamId,
      id,
      Math.floor(now() / 1_000),
      auditOrigin(caller, newId()),
    )
    if (!sealed) throw new Problem('agent_not_found')
    const open = (field: string, bytes: Buffer) => secrets.open({ teamId, agentId: id, field }, bytes)
    const { api_key_sealed: apiKey, github_token_sealed: token, names } = sealed
    return {
      api_key: apiKey && open('api_key', apiKey),
      github_token: token && open('github_token', token),
      named: names.map((name, index) => [name, open(namedField(name), sealed.sealed[index] as Buffer)]),
    }
  }
}
