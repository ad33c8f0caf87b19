import { errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import { createIssuerKeys, type IssuerState } from './issuer-keys.ts'

/** On whose behalf a request is carried out. */
export interface Caller {
  userId: string
  teamId: string
  requestId: string
}

/** Somebody known asked for what no permission of theirs allows. */
export interface Refusal {
  caller: Caller
  permission: string
  method: string
  route: string
  /** Null where the path names no agent. */
  agentId: string | null
}

export interface VerifiedToken {
  /** Null where the token names nobody, or somebody who is not a UUID. */
  userId: string | null
  teamId: string | null
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
  /** Answers who the token speaks for, or throws a 401, or a 503 when only the issuer could tell. */
  verify: (token: string) => Promise<VerifiedToken>
  issuerState: () => IssuerState
}

/** Asymmetric only: with a shared-secret algorithm on the list, the public key would sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const LEEWAY_SECONDS = 30

/** Verification takes about 100 µs, so tokens are remembered: this many characters of them. */
const REMEMBERED_CHARACTERS = 16 * 1024 * 1024

export function createIdentity(options: IdentityOptions): Identity {
  const { issuer, audience, claims, now } = options
  let remembered = createMemory()
  const keys = createIssuerKeys({
    ...options,
    onChange: () => {
      remembered = createMemory()
    },
  })

  const verify = async (token: string): Promise<VerifiedToken> => {
    await keys.keepFresh()
    // Held on to: what the present keys vouch for must not be remembered among the next ones'.
    const memory = remembered
    const known = memory.get(token)
    if (known && now() / 1_000 < known.expiresAt + LEEWAY_SECONDS) return known
    const { payload } = await jwtVerify(token, keys.getKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw toProblem(error)
    })
    const verified = readClaims(payload, claims)
    memory.set(token, verified)
    return verified
  }

  return { verify, issuerState: keys.state }
}

/** Keyed by the whole token: a signature is only vouched for together with what it signs. */
function createMemory() {
  return new LRUCache<string, VerifiedToken>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_verified, token) => token.length,
  })
}

function readClaims(payload: JWTPayload, names: ClaimNames): VerifiedToken {
  const scope = payload[names.scope]
  const permissions = payload[names.permissions]
  return {
    userId: asUuid(payload[names.user]),
    teamId: asUuid(payload[names.team]),
    permissions: new Set([
      ...(typeof scope === 'string' ? scope.split(' ') : []),
      ...(Array.isArray(permissions) ? permissions.filter((name) => typeof name === 'string') : []),
    ]),
    expiresAt: payload.exp as number,
  }
}

function asUuid(claim: unknown): string | null {
  const parsed = typeof claim === 'string' ? parseUuid(claim) : undefined
  return parsed?.ok ? parsed.uuid : null
}

/** Says which rule the token breaks, so that its holder can mend it; never what the token holds. */
function toProblem(error: unknown): unknown {
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
