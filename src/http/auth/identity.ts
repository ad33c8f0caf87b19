import { errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Problem } from '../../api/problem.ts'
import { scheduleAt } from '../../platform/async.ts'
import type { Factory, Metrics } from '../../platform/observe/metrics.ts'
import type { SourceState } from '../../platform/outbound/source.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createRevocations } from './revocations.ts'
import {
  ALGORITHMS,
  createTokenReader,
  findProfileFaults,
  LEEWAY_SECONDS,
  type TokenReaderOptions,
  type VerifiedToken,
} from './verified-token.ts'

export type { VerifiedToken } from './verified-token.ts'

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
  metrics?: Metrics
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
  const { issuer, audience, maxLifetimeS, revocationsUrl: url, now, log, metrics } = options
  const readToken = createTokenReader(options)
  let currentCache = createTokenCache()
  const keys = createIssuerKeys({
    ...options,
    onChange: () => {
      currentCache = createTokenCache()
    },
  })
  const revocations = url === undefined ? undefined : createRevocations({ url, now, log })
  if (metrics) observeIssuer(metrics, keys.state)
  if (metrics && revocations) observeRevocations(metrics, revocations)

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

const CHECK_EVERY_MS = 1_000

/** Ends a stream when its token is no longer valid. Returns the function to call when the stream has ended by
 * itself. */
export type EndWithToken = (token: string, expiresAt: number, end: () => void) => () => void

/** Verifies the tokens of open streams again and again: an issuer may withdraw a key, or revoke the token. While no
 * stream is open there is no timer. */
export function createEndWithToken(
  verify: (token: string) => Promise<unknown>,
  now: () => number,
): EndWithToken {
  const endsByToken = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  const endIfInvalid = async (token: string, ends: ReadonlySet<() => void>) => {
    const isValid = await verify(token).then(
      () => true,
      () => false,
    )
    if (!isValid) for (const end of ends) end()
  }
  const check = async () => {
    if (isChecking) return
    isChecking = true
    try {
      await Promise.all([...endsByToken].map(([token, ends]) => endIfInvalid(token, ends)))
    } finally {
      isChecking = false
    }
  }

  const add = (token: string, end: () => void) => {
    const ends = endsByToken.get(token) ?? new Set()
    endsByToken.set(token, ends.add(end))
    timer ??= setInterval(() => void check(), CHECK_EVERY_MS).unref()
  }
  const remove = (token: string, end: () => void) => {
    const ends = endsByToken.get(token)
    ends?.delete(end)
    if (ends?.size === 0) endsByToken.delete(token)
    if (endsByToken.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (token, expiresAt, end) => {
    // A function of its own for each stream: two may share `end`.
    const endOnce = () => {
      release()
      end()
    }
    const expiry = scheduleAt(now, expiresAt * 1_000, endOnce)
    const release = () => {
      expiry.cancel()
      remove(token, endOnce)
    }
    add(token, endOnce)
    return release
  }
}

/** NaN before the first read. */
const valueOf = (state: string) => ({ up: 1, down: 0 })[state] ?? Number.NaN

/** Whether its keys could be read, as a state of health. */
export function observeIssuer(create: Factory, state: () => string): void {
  const help = '1 if the last read of the keys of the issuer succeeded'
  create.observed('console_issuer_up', help, () => valueOf(state()))
}

/** The list of revoked tokens and users. */
export interface ObservedRevocations {
  state: () => string
  size: () => number
}

export function observeRevocations(create: Factory, { state, size }: ObservedRevocations): void {
  const help = '1 if the last read of the list of revocations succeeded'
  create.observed('console_revocations_up', help, () => valueOf(state()))
  create.observed('console_revocations', 'Revoked tokens and users in the list that is in use', size)
}
