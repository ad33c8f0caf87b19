import type { AuthorizationServer } from 'oauth4webapi'
import type { Logger } from 'pino'
import { type ConfiguredOptions, type Received, sendToConfigured } from './configured.ts'

/** The server does not respond, or it responds with a temporary failure. */
export class SourceUnavailable extends Error {}

export async function sendToSource(url: string, options: ConfiguredOptions): Promise<Received> {
  const received = await sendToConfigured(url, options).catch(({ message, cause }: Error) => {
    throw new SourceUnavailable(message, { cause })
  })
  const { status } = received
  if (status >= 500 || status === 429) throw new SourceUnavailable(`${url} returned status ${status}`)
  return received
}

interface FetchedJson {
  /** Undefined for 304. */
  json: unknown
  etag: string | null
}

const LIMITS = { timeoutMs: 5_000, maxBytes: 1024 * 1024 }

/** Reads a JSON document of limited size. Every status but 200 and 304 is an error. */
export async function fetchJson(url: string, options: Partial<ConfiguredOptions> = {}): Promise<FetchedJson> {
  const limited = { ...LIMITS, ...options }
  const { status, headers, body } = await sendToSource(url, limited)
  const etag = headers.get('etag')
  if (status === 304) return { json: undefined, etag }
  if (status !== 200) throw new Error(`${url} returned status ${status}`)
  if (!body) throw new Error(`${url} returned more than ${limited.maxBytes} bytes`)
  return { json: parse(url, body.toString()), etag }
}

/** An error names the URL, and quotes nothing of the text. */
function parse(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${url} returned a text that is not JSON`)
  }
}

/** Reads the discovery document of an issuer (OpenID Connect Discovery 1.0). */
export async function discover(issuer: string): Promise<AuthorizationServer> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { json } = await fetchJson(url)
  const document = Object(json) as AuthorizationServer
  if (document.issuer !== issuer) throw new Error('The discovery document has another issuer')
  return document
}

export type SourceState = 'up' | 'down' | 'unknown'

export interface RefresherOptions {
  /** What is loaded, for the log. */
  what: string
  load: () => Promise<void>
  /** From this age on, a request starts a load and does not wait for it. */
  refreshAfterMs: number
  /** From this age on, requests wait for the load, unless the source failed to respond within this time. */
  maxAgeMs: number
  /** Loads start at least this long after each other. */
  cooldownMs: number
  now: () => number
  log: Logger
}

/** Without requests there are no loads, and so no news of a source that was down. */
const KNOWN_DOWN_MS = 120_000

/** A copy of something that another server publishes. */
export interface Source {
  /** Await this before using the copy. Undefined if it can be used at once. */
  keepFresh: () => Promise<void> | undefined
  /** Unknown before the first load, and again when no request has used the copy for some time. */
  state: () => SourceState
  /** Why the last load failed. */
  failure: () => Error | undefined
}

/** Keeps a copy of something that another server publishes. Requests start the loads, so that an idle process makes
 * none. A source that is down delays no request while there is a copy. */
export function createRefresher(options: RefresherOptions) {
  const { what, load, refreshAfterMs, maxAgeMs, cooldownMs, now, log } = options
  let attemptedAt = Number.NEGATIVE_INFINITY
  let loadedAt = Number.NEGATIVE_INFINITY
  let state: SourceState = 'unknown'
  let failure: Error | undefined
  let pending: Promise<void> | undefined
  let mustWait = false

  const refresh = (): Promise<void> => {
    pending ??= (async () => {
      attemptedAt = now()
      const startedAt = attemptedAt
      try {
        await load()
        if (state !== 'up') log.info(`loaded ${what}`)
        loadedAt = startedAt
        state = 'up'
        failure = undefined
      } catch (error) {
        if (state !== 'down') log.warn({ err: error }, `cannot load ${what}`)
        state = 'down'
        failure = error as Error
      } finally {
        pending = undefined
        mustWait = false
      }
    })()
    return pending
  }

  /** Never rejects. */
  const refreshUnlessCoolingDown = async () => {
    if (pending || now() - attemptedAt >= cooldownMs) await refresh()
  }

  return {
    refreshUnlessCoolingDown,
    keepFresh: (): Promise<void> | undefined => {
      const ageMs = now() - loadedAt
      if (ageMs < refreshAfterMs) return undefined
      // After a long idle time it is not known whether the source responds.
      const mayRespond = state !== 'down' || now() - attemptedAt >= maxAgeMs
      if (ageMs >= maxAgeMs && mayRespond) mustWait = true
      const refreshed = refreshUnlessCoolingDown()
      return mustWait ? refreshed : undefined
    },
    ageMs: () => now() - loadedAt,
    state: (): SourceState => (state === 'down' && now() - attemptedAt >= KNOWN_DOWN_MS ? 'unknown' : state),
    failure: () => failure,
  }
}
