import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Service } from '../../../config/services-file.ts'
import { withTimeout } from '../../../platform/async.ts'
import type { Factory, Metrics } from '../../../platform/observe/metrics.ts'
import { sendToConfigured } from '../../../platform/outbound/configured.ts'
import type { BreakerState } from '../../../platform/upstream/breaker.ts'
import { MAX_BYTES, type PreparedDocument } from '../document/document.ts'
import { componentKeys } from '../document/rename.ts'
import {
  initialState,
  type PollResult,
  SERVICE_STATES,
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
  metrics: Metrics
  breakerOf: (service: string) => BreakerState
  /** How long startup waits for the first polls. */
  startTimeoutMs?: number
}

interface Polled {
  readonly service: Service
  state: ServiceState
  timer?: NodeJS.Timeout
}

const START_TIMEOUT_MS = 2_000
/** A service without a valid document is polled at least this often. */
const MAX_POLL_MS_WHILE_DOWN = 2_000
/** How many sentences about a document are logged. */
const MAX_LOGGED = 50

/** Polls the documents of the services, and publishes those that have changed. */
export class Poller {
  readonly #options: PollerOptions
  readonly #metrics: ReturnType<typeof createServiceMetrics>
  readonly #closing = new AbortController()
  readonly #all: Polled[]
  /** The console's own components, such as `schemas/Agent`. */
  #reserved: readonly string[] = []

  constructor(options: PollerOptions) {
    const { services, metrics, now } = options
    this.#options = options
    this.#metrics = metrics.of(createServiceMetrics)
    this.#all = services.map((service) => ({ service, state: initialState(now()) }))
    for (const { service, state } of this.#all) this.#metrics.setState(service.name, state.state)
  }

  statuses(): ServiceStatus[] {
    const { breakerOf } = this.#options
    return this.#all.map(({ service, state }) => toStatus(service, state, breakerOf(service.name)))
  }

  /** Polls every service, and waits for those that respond in time. Needs the console's own document. */
  async start(own: string): Promise<void> {
    const { publisher, startTimeoutMs = START_TIMEOUT_MS } = this.#options
    this.#reserved = componentKeys(JSON.parse(own).components ?? {})
    await publisher.begin(own)
    const polls = this.#all.map((polled) => this.#pollOnce(polled))
    await withTimeout(startTimeoutMs, Promise.all(polls), undefined)
  }

  close(): void {
    this.#closing.abort()
    for (const { timer } of this.#all) clearTimeout(timer)
  }

  async #pollOnce(polled: Polled): Promise<void> {
    const { service, state: before } = polled
    const result = await this.#poll(service, before)
    if (this.#closing.signal.aborted) return
    polled.state = transition(before, result, this.#options.now())
    this.#report(service.name, before, polled.state)
    const maxMs = polled.state.state === 'up' ? Number.POSITIVE_INFINITY : MAX_POLL_MS_WHILE_DOWN
    // Jitter, so that replicas started together do not poll together.
    const delayMs = Math.min(service.pollMs, maxMs) * (0.9 + Math.random() * 0.2)
    polled.timer = setTimeout(() => void this.#pollOnce(polled), delayMs).unref()
  }

  #report(service: string, before: ServiceState, after: ServiceState): void {
    const { log } = this.#options
    if (after.adopted && after.adopted !== before.adopted) {
      const { version, leftOut } = after.adopted
      for (const sentence of leftOut.slice(0, MAX_LOGGED)) log.warn({ service }, sentence)
      if (before.adopted) {
        const versions = { from_version: before.adopted.version, to_version: version }
        log.info({ service, ...versions }, 'the document of a service changed')
        this.#metrics.changes.inc({ service })
      }
    }
    if (after.state === before.state) return
    const facts = { service, from: before.state, to: after.state, errors: after.errors }
    log[after.state === 'up' ? 'info' : 'warn'](facts, 'a service changed its state')
    this.#metrics.setState(service, after.state)
  }

  /** Fetches the document of a service once. A valid one that has changed is published. */
  async #poll(service: Service, { lastChecked }: ServiceState): Promise<PollResult> {
    const { log, publisher } = this.#options
    const closing = this.#closing.signal
    const response = await fetchDocument(service, lastChecked?.etag, closing)
    if (response.type !== 'fetched') return response
    const { bytes, etag } = response
    const digest = createHash('sha256').update(bytes).digest('base64')
    if (digest === lastChecked?.digest) return { type: 'unchanged', etag }
    try {
      const document = await this.#prepare(service, bytes)
      if ('errors' in document) return { type: 'invalid', fetched: { etag, digest }, errors: document.errors }
      await publisher.publish(document).catch((cause: Error) => {
        throw new Error(`It could not be combined with the others: ${cause.message}`, { cause })
      })
      return { type: 'adopted', fetched: { etag, digest }, document }
    } catch (error) {
      if (!closing.aborted) log.error({ service: service.name, err: error }, 'a poll failed')
      return { type: 'failed', reason: (error as Error).message }
    }
  }

  async #prepare(
    service: Service,
    bytes: Uint8Array,
  ): Promise<PreparedDocument | { errors: readonly string[] }> {
    const { log, workers } = this.#options
    try {
      return await workers.prepare(service, bytes, this.#reserved)
    } catch (error) {
      if (this.#closing.signal.aborted) throw error
      // Parser crashes are deterministic: the same bytes are not tried again.
      log.error({ service: service.name, err: error }, 'the document of a service could not be read')
      return { errors: [`Reading it failed: ${(error as Error).message}`] }
    }
  }
}

type Fetched = { type: 'fetched'; bytes: Uint8Array; etag: string | undefined }

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

export function createServiceMetrics(create: Factory) {
  const states = create.gauge(
    'console_service_document_state',
    '1 for the current state of the document of a service',
    ['service', 'state'],
  )
  return {
    setState: (service: string, current: ServiceState['state']) => {
      for (const state of SERVICE_STATES) states.set({ service, state }, state === current ? 1 : 0)
    },
    changes: create.counter(
      'console_service_document_changes_total',
      'Changes of the document of a service',
      ['service'],
    ),
  }
}
