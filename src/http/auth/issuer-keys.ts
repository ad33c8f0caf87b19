import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { Problem } from '../../api/problem.ts'
import { createRefresher, discover, fetchJson, type Source } from '../../platform/outbound/source.ts'

const COOLDOWN_MS = 10_000
const REFRESH_AFTER_MS = 30_000
/** While the issuer responds, the keys are at most this old. */
const MAX_AGE_MS = 60_000
/** While it does not, they are used for at most this long. */
const MAX_OUTAGE_MS = 3_600_000

export interface IssuerKeysOptions {
  issuer: string
  /** If undefined, read from the issuer's discovery document. */
  jwksUrl: string | undefined
  now: () => number
  log: Logger
  /** Called when the keys change. */
  onChange: () => void
}

export interface IssuerKeys extends Source {
  getKey: JWTVerifyGetKey
}

/** Caches the issuer's public keys. jose's remote key set drops stale keys, and while the issuer is down it sends a
 * request for every unknown key id. Here known keys stay valid during a short outage, and requests to the issuer are at
 * least a cool-down apart. */
export function createIssuerKeys({ issuer, jwksUrl, now, log, onChange }: IssuerKeysOptions): IssuerKeys {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let published = ''
  let knownUrl = jwksUrl

  const load = async () => {
    try {
      knownUrl ??= await discoverKeys(issuer)
      const { json } = await fetchJson(knownUrl)
      const next = createLocalJWKSet(json as JSONWebKeySet)
      // An issuer without keys is one that is not ready: it could sign no token.
      if (next.jwks().keys.length === 0) throw new Error(`${knownUrl} returned no keys`)
      const text = JSON.stringify(json)
      if (published !== '' && published !== text) onChange()
      published = text
      keys = next
    } catch (error) {
      // The URL may have changed: discover it again.
      knownUrl = jwksUrl
      throw error
    }
  }

  const refresher = createRefresher({
    what: `the keys of ${issuer}`,
    load,
    refreshAfterMs: REFRESH_AFTER_MS,
    maxAgeMs: MAX_AGE_MS,
    cooldownMs: COOLDOWN_MS,
    now,
    log,
  })

  const keepFresh = () => {
    if (keys && refresher.ageMs() >= MAX_OUTAGE_MS) {
      keys = undefined
      published = ''
      onChange()
    }
    return keys && refresher.keepFresh()
  }

  const getKey: JWTVerifyGetKey = async (header, token) => {
    if (!keys) await refresher.refreshUnlessCoolingDown()
    if (!keys) throw unavailable()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresher.refreshUnlessCoolingDown()
      try {
        return await keys(header, token)
      } catch (again) {
        // While the issuer is down, an unknown key may be a new one.
        throw refresher.state() === 'down' ? unavailable() : again
      }
    }
  }

  return { ...refresher, keepFresh, getKey }
}

function unavailable(): Problem {
  return new Problem('issuer_unavailable', { headers: { 'retry-after': String(COOLDOWN_MS / 1_000) } })
}

async function discoverKeys(issuer: string): Promise<string> {
  const { jwks_uri: url } = await discover(issuer)
  if (typeof url !== 'string') throw new Error('The discovery document has no jwks_uri')
  return url
}
