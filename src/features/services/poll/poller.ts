import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Service } from '../../../config/services-file.ts'
import { withTimeout } from '../../../platform/async.ts'
import { sendToConfigured } from '../../../platform/outbound/configured.ts'
import type { BreakerState } from '../../../platform/upstream/breaker.ts'
import { MAX_BYTES, type PreparedDocument } from '../document/document.ts'
import { componentKeys } from '../document/rename.ts'
import type { ServiceMetrics } from '../metrics.ts'
import {
  initialState,
  type PollResult,
  type ServiceState,
  type ServiceStatus,
  toStatus,
  transition,
} from '../schema.ts'
import type { DocumentWorkers, Publisher } from './publisher.ts'

export interface PollerOptions {
  services: readonly Service[]
  workers: Pick<DocumentWorkers, 'prepare'>
  publisher: Publisher
  log: Logger
  now: () => number
  metricsOf: (service: string) => ServiceMetrics
  breakerOf: (service: string) => BreakerState
  /** How long startup waits for the first polls. */
  startTimeoutMs?: number
}

export interface Poller {
  /** Polls every service, and waits for those that respond in time. Needs the console's own document. */
  start: (own: string) => Promise<void>
  statuses: () => ServiceStatus[]
  close: () => void
}

interface Polled {
  readonly service: Service
  readonly metrics: ServiceMetrics
  state: ServiceState
  timer?: NodeJS.Timeout
}

const START_TIMEOUT_MS = 2_000
/** A service without a valid document is polled at least this often. */
const MAX_POLL_MS_WHILE_DOWN = 2_000
/** How many sentences about a document are logged. */
const MAX_LOGGED = 50

export function createPoller(options: PollerOptions): Poller {
  const { services, publisher, log, now, metricsOf, breakerOf } = options
  const { startTimeoutMs = START_TIMEOUT_MS } = options
  const closing = new AbortController()
  const all = services.map((service): Polled => {
    return { service, metrics: metricsOf(service.name), state: initialState(now()) }
  })

  const pollOnce = async (polled: Polled, reserved: readonly string[]): Promise<void> => {
    const { service, state: before } = polled
    const result = await poll(service, before, { ...options, closing: closing.signal, reserved })
    if (closing.signal.aborted) return
    polled.state = transition(before, result, now())
    report(polled, before)
    const maxMs = polled.state.state === 'up' ? Number.POSITIVE_INFINITY : MAX_POLL_MS_WHILE_DOWN
    // Jitter, so that replicas started together do not poll together.
    const delayMs = Math.min(service.pollMs, maxMs) * (0.9 + Math.random() * 0.2)
    polled.timer = setTimeout(() => void pollOnce(polled, reserved), delayMs).unref()
  }

  const report = ({ service: { name }, metrics, state: after }: Polled, before: ServiceState) => {
    if (after.adopted && after.adopted !== before.adopted) {
      const { version, leftOut } = after.adopted
      for (const sentence of leftOut.slice(0, MAX_LOGGED)) log.warn({ service: name }, sentence)
      if (before.adopted) {
        const versions = { from_version: before.adopted.version, to_version: version }
        log.info({ service: name, ...versions }, 'the document of a service changed')
        metrics.countChange()
      }
    }
    if (after.state === before.state) return
    const facts = { service: name, from: before.state, to: after.state, errors: after.errors }
    log[after.state === 'up' ? 'info' : 'warn'](facts, 'a service changed its state')
    metrics.state(after.state)
  }

  return {
    statuses: () => all.map(({ service, state }) => toStatus(service, state, breakerOf(service.name))),
    start: async (own) => {
      const reserved = componentKeys(JSON.parse(own).components ?? {})
      await publisher.begin(own)
      const polls = all.map((polled) => pollOnce(polled, reserved))
      await withTimeout(startTimeoutMs, Promise.all(polls), undefined)
    },
    close: () => {
      closing.abort()
      for (const { timer } of all) clearTimeout(timer)
    },
  }
}

export interface PollDeps {
  workers: Pick<DocumentWorkers, 'prepare'>
  publisher: Publisher
  log: Logger
  closing: AbortSignal
  /** The console's own components, such as `schemas/Agent`. */
  reserved: readonly string[]
}

type Fetched = { type: 'fetched'; bytes: Uint8Array; etag: string | undefined }

/** Fetches the document of a service once. A valid one that has changed is published. */
async function poll(service: Service, { lastChecked }: ServiceState, deps: PollDeps): Promise<PollResult> {
  const response = await fetchDocument(service, lastChecked?.etag, deps.closing)
  if (response.type !== 'fetched') return response
  const { bytes, etag } = response
  const digest = createHash('sha256').update(bytes).digest('base64')
  if (digest === lastChecked?.digest) return { type: 'unchanged', etag }
  try {
    const document = await prepare(service, bytes, deps)
    if ('errors' in document) return { type: 'invalid', fetched: { etag, digest }, errors: document.errors }
    await deps.publisher.publish(document).catch((cause: Error) => {
      throw new Error(`It could not be combined with the others: ${cause.message}`, { cause })
    })
    return { type: 'adopted', fetched: { etag, digest }, document }
  } catch (error) {
    if (!deps.closing.aborted) deps.log.error({ service: service.name, err: error }, 'a poll failed')
    return { type: 'failed', reason: (error as Error).message }
  }
}

async function fetchDocument(
  { documentUrl, deadlineMs }: Service,
  etag: string | undefined,
  closing: AbortSignal,
): Promise<Fetched | PollResult> {
  const unreachable = (reason: string) => ({ type: 'unreachable' as const, reason })
  try {
    const { status, headers, body } = await sendToConfigured(documentUrl, {
      timeoutMs: deadlineMs,
      maxBytes: MAX_BYTES,
      signal: closing,
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
    })
    if (status === 304 && etag !== undefined) return { type: 'unchanged', etag }
    if (status !== 200) return unreachable(`The request for its document returned ${status}.`)
    if (!body) return unreachable(`Its document is larger than ${MAX_BYTES} bytes.`)
    return { type: 'fetched', bytes: body, etag: headers.get('etag') ?? undefined }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: unknown } }
    if (name === 'TimeoutError') return unreachable(`Its document did not arrive within ${deadlineMs} ms.`)
    const code = typeof cause?.code === 'string' ? `: ${cause.code}` : ''
    return unreachable(`Its document could not be fetched${code}.`)
  }
}

async function prepare(
  service: Service,
  bytes: Uint8Array,
  { workers, log, closing, reserved }: PollDeps,
): Promise<PreparedDocument | { errors: readonly string[] }> {
  try {
    return await workers.prepare(service, bytes, reserved)
  } catch (error) {
    if (closing.aborted) throw error
    // Parser crashes are deterministic: the same bytes are not tried again.
    log.error({ service: service.name, err: error }, 'the document of a service could not be read')
    return { errors: [`Reading it failed: ${(error as Error).message}`] }
  }
}
