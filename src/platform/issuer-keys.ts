import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'

const COOLDOWN_MS = 10_000
const MAX_AGE_MS = 600_000
/** Keys in use are never this old, unless the issuer has been asked in vain. */
const SILENCE_MS = 2 * MAX_AGE_MS
const TIMEOUT_MS = 5_000

export interface IssuerKeysOptions {
  issuer: string
  /** Discovered from the issuer when absent. */
  jwksUrl: string | undefined
  now: () => number
  log: Logger
  /** Called when the issuer publishes other keys than before. */
  onChange: () => void
}

export type IssuerState = 'up' | 'down' | 'unknown'

export interface IssuerKeys {
  /** To be awaited before any use of the keys, or of what they have vouched for. */
  keepFresh: () => Promise<void>
  getKey: JWTVerifyGetKey
  state: () => IssuerState
}

/** The issuer's public keys. jose's own remote key set forgets its keys once they are stale and asks again
 * for every unknown key id while the issuer is down; here known keys serve through any outage, and the
 * issuer is asked at most once a cool-down whatever arrives. */
export function createIssuerKeys({ issuer, jwksUrl, now, log, onChange }: IssuerKeysOptions): IssuerKeys {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let published = ''
  let knownUrl = jwksUrl
  let attemptedAt = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY
  let state: IssuerState = 'unknown'
  let pending: Promise<void> | undefined

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
        if (state !== 'up') log.info({ issuer }, 'issuer keys loaded')
        state = 'up'
      } catch (error) {
        state = 'down'
        // The issuer may have moved it.
        knownUrl = jwksUrl
        log.warn({ issuer, err: error }, 'issuer keys could not be loaded')
      } finally {
        pending = undefined
      }
    })()
    return pending
  }

  const refreshUnlessCoolingDown = async () => {
    if (pending || now() - attemptedAt >= COOLDOWN_MS) await refresh()
  }

  const keepFresh = async () => {
    if (!keys || now() - loadedAt < MAX_AGE_MS) return
    // A withdrawn key must not be good for the first call after a quiet night: then, and only then, one waits.
    if (now() - attemptedAt >= SILENCE_MS) state = 'unknown'
    const refreshed = refreshUnlessCoolingDown()
    if (state === 'unknown') await refreshed
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
        // While the issuer is silent, an unknown key may well be its newest.
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
  if (document['issuer'] !== issuer) throw new Error('The discovery document names another issuer')
  if (typeof document['jwks_uri'] !== 'string') throw new Error('The discovery document names no jwks_uri')
  return document['jwks_uri']
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}
