import type {
  CardKey,
  CardKeyContent,
  CardKeyList,
  CardPolicy,
  CardPolicyContent,
  CardPolicyName,
} from '../../contract/card-signature.ts'
import { Problem } from '../../contract/problem.ts'
import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import { auditOrigin } from '../../platform/database/audit-sql.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { containsCredential } from '../../platform/secrets/credential-patterns.ts'
import { valueError } from '../validation.ts'
import { readPublicKey } from './public-key.ts'
import {
  deleteCardKey,
  findCardKey,
  findCardPolicy,
  listCardKeys,
  saveCardKey,
  saveCardPolicy,
} from './store.ts'

interface CardTrustDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** What decides which cards a team accepts. */
export interface CardTrust {
  keys: readonly CardKey[]
  policy: CardPolicyName
}

export type CardTrustService = ReturnType<typeof createCardTrust>

/** The keys that a team trusts for agent cards, and its policy. */
export function createCardTrust({ sql, now, newId }: CardTrustDeps) {
  const changeOf = (caller: Caller, detail: object) => ({
    nowSeconds: Math.floor(now() / 1_000),
    origin: auditOrigin(caller, newId()),
    auditDetail: { ...detail, reason: caller.reason },
  })

  return {
    async listKeys({ teamId }: Caller): Promise<CardKeyList> {
      return { results: await listCardKeys(sql, teamId) }
    },

    async readKey({ teamId }: Caller, kid: string): Promise<CardKey> {
      const found = await findCardKey(sql, teamId, kid)
      if (!found) throw new Problem('card_key_not_found')
      return found
    },

    async saveKey(caller: Caller, kid: string, content: CardKeyContent): Promise<CardKey> {
      const checked = checkKey(kid, content)
      const change = changeOf(caller, { kid, algorithm: checked.algorithm, origins: checked.origins })
      const saved = await saveCardKey(sql, caller.teamId, kid, checked, change)
      if (!saved) throw new Problem('too_many_card_keys')
      return saved
    },

    async deleteKey(caller: Caller, kid: string): Promise<void> {
      const isDeleted = await deleteCardKey(sql, caller.teamId, kid, changeOf(caller, { kid }))
      if (!isDeleted) throw new Problem('card_key_not_found')
    },

    readPolicy: ({ teamId }: Caller): Promise<CardPolicy> => findCardPolicy(sql, teamId),

    savePolicy: (caller: Caller, { signatures }: CardPolicyContent): Promise<CardPolicy> =>
      saveCardPolicy(sql, caller.teamId, signatures, changeOf(caller, { signatures })),

    async read(teamId: string): Promise<CardTrust> {
      const [keys, { signatures }] = [await listCardKeys(sql, teamId), await findCardPolicy(sql, teamId)]
      return { keys, policy: signatures }
    },
  }
}

/** The content as it is stored. */
function checkKey(kid: string, { algorithm, public_key: jwk, origins }: CardKeyContent): CardKeyContent {
  const key = readPublicKey(jwk, algorithm)
  const faults: ValidationError[] = [
    // The audit log, which never changes, has the id.
    ...(containsCredential(kid) ? [valueError(['path', 'kid'], 'an id must not contain a credential')] : []),
    ...('reason' in key ? [valueError(['body', 'public_key'], key.reason)] : []),
    ...origins.flatMap((origin, index) =>
      isOrigin(origin)
        ? []
        : [
            valueError(
              ['body', 'origins', index],
              'this is no origin: send scheme and host, and the port if it is not the usual one, such as https://agents.example.com',
            ),
          ],
    ),
  ]
  if (faults.length > 0 || 'reason' in key) throw new RequestValidationError(faults)
  return { algorithm, public_key: { ...key.jwk }, origins: [...new Set(origins)] }
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.origin === text
}
