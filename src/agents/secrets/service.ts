import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import type { SecretText } from '../../platform/secret-text.ts'
import type { Secrets } from '../../platform/secrets.ts'
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
}

export type ReadSecrets = (caller: Caller, id: string) => Promise<OpenedSecrets>

export function createReadSecrets({ sql, secrets, now, newId }: SecretsDeps): ReadSecrets {
  return async (caller, id) => {
    const { teamId, userId, requestId } = caller
    const sealed = await readSealedSecrets(sql, teamId, id, {
      nowSeconds: Math.floor(now() / 1_000),
      userId,
      eventId: newId(),
      requestId,
    })
    if (!sealed) throw new Problem('agent_not_found')
    const open = (field: string, bytes: Buffer | null) =>
      bytes && secrets.open({ teamId, agentId: id, field }, bytes)
    return {
      api_key: open('api_key', sealed.api_key_sealed),
      github_token: open('github_token', sealed.github_token_sealed),
    }
  }
}
