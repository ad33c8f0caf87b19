import { Ajv } from 'ajv'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { integer } from '../../api/fields.ts'
import { Problem } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import { onFirstUse } from '../../platform/async.ts'
import { createRefresher, fetchJson, type Source } from '../../platform/outbound/source.ts'
import { LEEWAY_SECONDS, type VerifiedToken } from './verified-token.ts'

/** The document at `AUTH_REVOCATIONS_URL`. Unknown members are errors: a misspelt one would revoke nothing. */
const RevocationList = Type.Object(
  {
    tokens: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: 100_000,
        description: 'Ids (`jti`) of revoked tokens. An id can be removed when its token has expired.',
      }),
    ),
    users: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({
              minLength: 1,
              maxLength: 1_000,
              description: 'The value of the user claim, or the UUID of the user in the console.',
            }),
            before: Type.Optional(
              integer({
                minimum: 0,
                description:
                  'Unix time in seconds: revokes tokens issued (`iat`) before it. Without it, all tokens.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 10_000, description: 'Users whose tokens are revoked.' },
      ),
    ),
  },
  { additionalProperties: false },
)
export type RevocationList = Static<typeof RevocationList>

const POLL_MS = 2_000
/** A revocation takes effect within 5 seconds. */
const MAX_AGE_MS = 4_000
const FETCH_LIMITS = { timeoutMs: 2_000, maxBytes: 4 * 1024 * 1024 }

export interface RevocationsOptions {
  url: string
  now: () => number
  log: Logger
}

export interface Revocations extends Source {
  /** Throws a 401 if the token is revoked, and a 503 before the first list was loaded. */
  check: (token: VerifiedToken) => void
  /** Number of revoked tokens and users. */
  size: () => number
}

interface LoadedList {
  tokens: ReadonlySet<string>
  /** The time before which tokens of the user are revoked, seconds since the epoch. */
  users: ReadonlyMap<string, number>
}

const isRevocationList = onFirstUse((): ((value: unknown) => value is RevocationList) =>
  new Ajv({ strict: false, validateFormats: false }).compile(RevocationList),
)

/** The revoked tokens and users. While the list cannot be loaded, the last one stays in use. */
export function createRevocations({ url, now, log }: RevocationsOptions): Revocations {
  let list: LoadedList | undefined
  let knownEtag: string | null = null

  const load = async () => {
    const headers: Record<string, string> = list && knownEtag !== null ? { 'if-none-match': knownEtag } : {}
    const { json, etag } = await fetchJson(url, { ...FETCH_LIMITS, headers })
    if (json === undefined) return
    if (!isRevocationList(json)) throw new Error(`${url} returned no valid list of revocations`)
    list = toLoadedList(json)
    knownEtag = etag
  }

  const source = createRefresher({
    what: 'the list of revocations',
    load,
    refreshAfterMs: POLL_MS,
    maxAgeMs: MAX_AGE_MS,
    cooldownMs: POLL_MS,
    now,
    log,
  })

  return {
    ...source,
    check: (token) => {
      if (!list) throw notLoaded()
      if (isRevoked(list, token, now() / 1_000)) {
        const detail = 'The token has been revoked. Get a new one from the issuer.'
        throw new Problem('invalid_token', { detail })
      }
    },
    size: () => (list ? list.tokens.size + list.users.size : 0),
  }
}

function toLoadedList({ tokens = [], users = [] }: RevocationList): LoadedList {
  const byUser = new Map<string, number>()
  for (const { id, before = Number.POSITIVE_INFINITY } of users) {
    const key = toKey(id)
    byUser.set(key, Math.max(before, byUser.get(key) ?? 0))
  }
  return { tokens: new Set(tokens), users: byUser }
}

/** The same for every spelling of a UUID. */
function toKey(user: string): string {
  const uuid = parseUuid(user)
  return uuid.ok ? uuid.uuid : user
}

/** A token that does not say when it was issued, or names a time in the future, counts as issued before any time. */
function isRevoked({ tokens, users }: LoadedList, token: VerifiedToken, nowSeconds: number): boolean {
  const { tokenId, userId, userValue, issuedAt } = token
  if (tokenId !== null && tokens.has(tokenId)) return true
  const isKnown = issuedAt !== null && issuedAt <= nowSeconds + LEEWAY_SECONDS
  return [userId, userValue].some((user) => {
    const before = user === null ? undefined : users.get(toKey(user))
    return before !== undefined && (!isKnown || issuedAt < before)
  })
}

function notLoaded(): Problem {
  return new Problem('issuer_unavailable', {
    detail: 'The list of revoked tokens could not be loaded yet. Try again shortly.',
    headers: { 'retry-after': String(POLL_MS / 1_000) },
  })
}
