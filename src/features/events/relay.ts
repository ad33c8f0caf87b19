import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream } from '../../platform/nats/stream.ts'
import type { Metrics } from '../../platform/observe/metrics.ts'
import { BatchDelivery } from './deliver.ts'
import { createRelayMetrics, type RelayMetrics } from './metrics.ts'
import { OutboxListener } from './notifications.ts'
import { Outbox } from './outbox.ts'

/** Polling finds events whose notification was lost or was received by a relay that died. */
const POLL_INTERVAL_MS = 1_000
const POLL_INTERVAL_WITHOUT_NOTIFICATIONS_MS = 25

const PAUSE_AFTER_FAILURE_MS = 500
const PAUSE_WITHOUT_NATS_MS = 100

export interface RelayOptions {
  /** Must support LISTEN: not through a pooler. */
  databaseUrl: string
  stream: EventStream
  metrics: Metrics
  log: Logger
}

/** Delivers the events of the outbox until it is closed. Any number of relays may run at once. Each has its own
 * connections, so that it takes none from requests. */
export class Relay {
  readonly #stream: EventStream
  readonly #log: Logger
  readonly #metrics: RelayMetrics
  readonly #outbox: Outbox
  readonly #listener: OutboxListener
  readonly #delivery: BatchDelivery
  readonly #running: Promise<void>
  #isClosing = false
  #isFailing = false
  #isDue = true
  #wake = () => {}

  constructor({ databaseUrl, stream, metrics, log }: RelayOptions) {
    this.#stream = stream
    this.#log = log
    this.#metrics = metrics.of(createRelayMetrics)
    this.#outbox = new Outbox(databaseUrl, log)
    this.#listener = new OutboxListener(databaseUrl, log, () => {
      this.#isDue = true
      this.#wake()
    })
    this.#delivery = new BatchDelivery({ outbox: this.#outbox, stream, metrics: this.#metrics, log })
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    await Promise.all([this.#running, this.#listener.close()])
    await this.#outbox.close()
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      await this.#waitUntilDue()
      this.#isDue = false
      if (!this.#stream.isUp()) {
        this.#metrics.countFailure()
        await sleep(PAUSE_WITHOUT_NATS_MS)
        this.#isDue = true
        continue
      }
      try {
        while ((await this.#delivery.deliverNext()) && !this.#isClosing);
        if (this.#isFailing) this.#log.info('events are delivered again')
        this.#isFailing = false
      } catch (error) {
        this.#metrics.countFailure()
        if (!this.#isFailing) {
          this.#log.warn({ err: error }, 'cannot deliver events; they stay in the outbox')
        }
        this.#isFailing = true
        await sleep(PAUSE_AFTER_FAILURE_MS)
        this.#isDue = true
      }
    }
  }

  async #waitUntilDue(): Promise<void> {
    if (this.#isDue || this.#isClosing) return
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    const isReceiving = this.#listener.isReceiving()
    const pollMs = isReceiving ? POLL_INTERVAL_MS : POLL_INTERVAL_WITHOUT_NOTIFICATIONS_MS
    await sleep(pollMs, undefined, { signal: waking.signal }).catch(() => {})
    this.#wake = () => {}
  }
}
