import { errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import { createIssuerKeys, type IssuerState } from './issuer-keys.ts'

/** The user and team that a request acts for. */
export interface Caller {
  userId: string
  teamId: string
  requestId: string
}

/** An authenticated user lacks the permission for an operation. */
export interface Refusal {
  caller: Caller
  permission: string
  method: string
  route: string
  /** Null if the path contains no agent id. */
  agentId: string | null
}

export interface VerifiedToken {
  /** Null if the claim is missing or not a UUID; the same holds for `teamId`. */
  userId: string | null
  teamId: string | null
  /** Whose share of places and memory its requests use: the team, or without one the user or the subject. */
  tenant: string
  permissions: ReadonlySet<string>
  /** Seconds since the epoch. */
  expiresAt: number
}

export interface ClaimNames {
  user: string
  team: string
  scope: string
  permissions: string
}

export interface IdentityOptions {
  issuer: string
  audience: string
  jwksUrl: string | undefined
  claims: ClaimNames
  now: () => number
  log: Logger
}

export interface Identity {
  /** Throws a 401 for an invalid token, and a 503 if the keys of the issuer are needed but cannot be loaded. */
  verify: (token: string) => Promise<VerifiedToken>
  issuerState: () => IssuerState
}

/** Asymmetric only: with HS256 on the list, an attacker could sign with the public key. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const LEEWAY_SECONDS = 30

/** Verification takes about 100 µs, so verified tokens are cached, up to this total length. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024

export function createIdentity(options: IdentityOptions): Identity {
  const { issuer, audience, claims, now } = options
  let currentCache = createTokenCache()
  const keys = createIssuerKeys({
    ...options,
    onChange: () => {
      currentCache = createTokenCache()
    },
  })

  const verify = async (token: string): Promise<VerifiedToken> => {
    const refreshing = keys.keepFresh()
    if (refreshing) await refreshing
    // The keys may change during verification: the result must not enter the cache of the new keys.
    const cache = currentCache
    const cached = cache.get(token)
    if (cached && now() / 1_000 < cached.expiresAt + LEEWAY_SECONDS) return cached
    const { payload } = await jwtVerify(token, keys.getKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw problemFromToken(error)
    })
    const verified = readClaims(payload, claims)
    cache.set(token, verified)
    return verified
  }

  return { verify, issuerState: keys.state }
}

/** The key is the whole token: a signature is only valid together with what it signs. */
function createTokenCache() {
  return new LRUCache<string, VerifiedToken>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_verified, token) => token.length,
  })
}

function readClaims(payload: JWTPayload, names: ClaimNames): VerifiedToken {
  const scope = payload[names.scope]
  const permissions = payload[names.permissions]
  const userId = toUuid(payload[names.user])
  const teamId = toUuid(payload[names.team])
  return {
    userId,
    teamId,
    tenant: teamId ?? userId ?? `subject ${payload.sub}`,
    permissions: new Set([
      ...(typeof scope === 'string' ? scope.split(' ') : []),
      ...(Array.isArray(permissions) ? permissions.filter((name) => typeof name === 'string') : []),
    ]),
    expiresAt: payload.exp as number,
  }
}

function toUuid(claim: unknown): string | null {
  const parsed = typeof claim === 'string' ? parseUuid(claim) : undefined
  return parsed?.ok ? parsed.uuid : null
}

/** Names the rule that the token breaks, but quotes no content of the token. */
function problemFromToken(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error
  const headers = { 'www-authenticate': 'Bearer' }
  if (error instanceof errors.JWTExpired) {
    return new Problem('invalid_token', { detail: 'The token has expired.', headers })
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new Problem('invalid_token', {
      detail: `The token's claim ${error.claim} is not accepted.`,
      headers,
    })
  }
  return new Problem('invalid_token', { headers })
}
