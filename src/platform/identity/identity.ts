import { errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AuditVia } from '../../contract/audit.ts'
import { Problem } from '../../contract/problem.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createEndWithToken, type EndWithToken } from './open-streams.ts'
import { createRevocations } from './revocations.ts'
import type { SourceState } from './source.ts'
import { ALGORITHMS, findProfileFaults, LEEWAY_SECONDS } from './token-profile.ts'
import { createTokenReader, type TokenReaderOptions, type VerifiedToken } from './verified-token.ts'

export type { VerifiedToken } from './verified-token.ts'

/** The user and team that a request acts for. */
export interface Caller {
  userId: string
  teamId: string
  requestId: string
  /** The display name of the user; null if the token has none. */
  name: string | null
  /** The application that the token was issued to; null if the token does not say it. */
  clientId: string | null
  /** The name that an MCP client gives itself. Nothing verifies it. */
  clientName?: string
  /** The interface through which the user acts. */
  via: AuditVia
  permissions: ReadonlySet<string>
  /** Why the caller makes the change, if the request says it. */
  reason?: string
}

/** An authenticated user lacks the permission for an operation. */
export interface Refusal {
  caller: Omit<Caller, 'permissions' | 'reason' | 'clientName'>
  permission: string
  method: string
  route: string
  /** Null if the path contains no agent id. */
  agentId: string | null
}

/** What tokens are accepted, and what is read from them. */
export interface AuthOptions extends TokenReaderOptions {
  audience: string
  /** If undefined, discovered from the issuer. */
  jwksUrl: string | undefined
  maxLifetimeS: number
  /** Undefined if no tokens are revoked. */
  revocationsUrl: string | undefined
}

export interface IdentityOptions extends AuthOptions {
  now: () => number
  log: Logger
}

export interface Identity {
  issuer: string
  /** Throws a 401 for an invalid token, and a 503 if the keys of the issuer are needed but cannot be loaded. */
  verify: (token: string) => Promise<VerifiedToken>
  /** Ends a stream when its token expires, is revoked, or its key is withdrawn. */
  endWithToken: EndWithToken
  issuerState: () => SourceState
  /** Undefined without a list of revocations. */
  revocations: { state: () => SourceState; size: () => number } | undefined
}

/** Verification takes about 100 µs, so verified tokens are cached, up to this total size in bytes or so. */
const MAX_CACHE_SIZE = 16 * 1024 * 1024
/** A team or a permission of a cached token, with its objects. */
const ENTRY_SIZE = 200

export function createIdentity(options: IdentityOptions): Identity {
  const { issuer, audience, maxLifetimeS, revocationsUrl: url, now, log } = options
  const readToken = createTokenReader(options)
  let currentCache = createTokenCache()
  const keys = createIssuerKeys({
    ...options,
    onChange: () => {
      currentCache = createTokenCache()
    },
  })
  const revocations = url === undefined ? undefined : createRevocations({ url, now, log })

  const verifySignature = async (token: string): Promise<VerifiedToken> => {
    // The keys may change during verification: the result must not enter the cache of the new keys.
    const cache = currentCache
    const cached = cache.get(token)
    const nowSeconds = now() / 1_000
    if (cached && nowSeconds < cached.expiresAt + LEEWAY_SECONDS) return cached
    const { payload, protectedHeader } = await jwtVerify(token, keys.getKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw problemFromToken(error)
    })
    const [fault] = findProfileFaults(protectedHeader, payload, { nowSeconds, maxLifetimeS })
    if (fault !== undefined) throw new Problem('invalid_token', { detail: fault })
    const verified = readToken(payload)
    cache.set(token, verified)
    return verified
  }

  const verify = async (token: string): Promise<VerifiedToken> => {
    const refreshing = keys.keepFresh()
    if (refreshing) await refreshing
    const verified = await verifySignature(token)
    const updating = revocations?.keepFresh()
    if (updating) await updating
    revocations?.check(verified)
    return verified
  }

  return {
    issuer,
    verify,
    endWithToken: createEndWithToken(verify, now),
    issuerState: keys.state,
    revocations,
  }
}

/** The key is the whole token: a signature is only valid together with what it signs. */
function createTokenCache() {
  return new LRUCache<string, VerifiedToken>({
    maxSize: MAX_CACHE_SIZE,
    sizeCalculation: ({ teams, permissions }, token) =>
      token.length + ENTRY_SIZE * (teams.length + permissions.size),
  })
}

/** Names the rule that the token breaks, but quotes no content of the token. */
function problemFromToken(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error
  if (error instanceof errors.JWTExpired)
    return new Problem('invalid_token', { detail: 'The token has expired.' })
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new Problem('invalid_token', { detail: `The token's claim ${error.claim} is not accepted.` })
  }
  return new Problem('invalid_token')
}
