import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'

const COOLDOWN_MS = 10_000
const MAX_AGE_MS = 600_000
/** Without traffic nothing refreshes the keys; after this time the next request waits for a refresh. */
const MAX_IDLE_MS = 2 * MAX_AGE_MS
const TIMEOUT_MS = 5_000

export interface IssuerKeysOptions {
  issuer: string
  /** If undefined, read from the issuer's discovery document. */
  jwksUrl: string | undefined
  now: () => number
  log: Logger
  /** Called when the published keys change. */
  onChange: () => void
}

export type IssuerState = 'up' | 'down' | 'unknown'

export interface IssuerKeys {
  /** Await this before using the keys or a cached verification. Undefined while the keys are fresh. */
  keepFresh: () => Promise<void> | undefined
  getKey: JWTVerifyGetKey
  state: () => IssuerState
}

/** Caches the issuer's public keys. jose's remote key set drops stale keys, and while the issuer is down it sends a
 * request for every unknown key id. Here known keys stay valid during an outage, and requests to the issuer are at
 * least a cool-down apart. */
export function createIssuerKeys({ issuer, jwksUrl, now, log, onChange }: IssuerKeysOptions): IssuerKeys {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let published = ''
  let knownUrl = jwksUrl
  let attemptedAt = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY
  let state: IssuerState = 'unknown'
  let pending: Promise<void> | undefined
  let mustWait = false

  const load = async () => {
    knownUrl ??= await discover(issuer)
    const jwks = (await fetchJson(knownUrl)) as unknown as JSONWebKeySet
    const next = createLocalJWKSet(jwks)
    const text = JSON.stringify(jwks)
    if (published !== '' && published !== text) onChange()
    published = text
    keys = next
    loadedAt = now()
  }

  const refresh = (): Promise<void> => {
    pending ??= (async () => {
      attemptedAt = now()
      try {
        await load()
        if (state !== 'up') log.info({ issuer }, 'loaded the keys of the issuer')
        state = 'up'
      } catch (error) {
        state = 'down'
        // The URL may have changed: discover it again.
        knownUrl = jwksUrl
        log.warn({ issuer, err: error }, 'cannot load the keys of the issuer')
      } finally {
        pending = undefined
        mustWait = false
      }
    })()
    return pending
  }

  const refreshUnlessCoolingDown = async () => {
    if (pending || now() - attemptedAt >= COOLDOWN_MS) await refresh()
  }

  const keepFresh = () => (!keys || now() - loadedAt < MAX_AGE_MS ? undefined : replaceOldKeys())
  const replaceOldKeys = async () => {
    // Usually requests do not wait. After a long idle time they do: the cached keys may have been withdrawn.
    if (now() - attemptedAt >= MAX_IDLE_MS) mustWait = true
    const refreshed = refreshUnlessCoolingDown()
    if (mustWait) await refreshed
  }

  const getKey: JWTVerifyGetKey = async (header, token) => {
    if (!keys) await refreshUnlessCoolingDown()
    if (!keys) throw unavailable()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refreshUnlessCoolingDown()
      try {
        return await keys(header, token)
      } catch (again) {
        // While the issuer is down, an unknown key may be a new one.
        throw state === 'down' ? unavailable() : again
      }
    }
  }

  return { keepFresh, getKey, state: () => state }
}

function unavailable(): Problem {
  return new Problem('issuer_unavailable', { headers: { 'retry-after': String(COOLDOWN_MS / 1_000) } })
}

async function discover(issuer: string): Promise<string> {
  const document = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (document['issuer'] !== issuer) throw new Error('The discovery document has another issuer')
  if (typeof document['jwks_uri'] !== 'string') throw new Error('The discovery document has no jwks_uri')
  return document['jwks_uri']
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status !== 200) throw new Error(`${url} returned status ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}
