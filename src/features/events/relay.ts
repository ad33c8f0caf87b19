import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream } from '../../platform/nats/stream.ts'
import type { Metrics } from '../../platform/observe/metrics.ts'
import { type BatchDeliveryDeps, createBatchDelivery } from './deliver.ts'
import { createRelayMetrics } from './metrics.ts'
import { listenToOutbox, type OutboxListener } from './notifications.ts'
import { createOutbox } from './outbox.ts'

export interface RelayDeps extends BatchDeliveryDeps {
  stream: BatchDeliveryDeps['stream'] & Pick<EventStream, 'isUp'>
  /** Calls `onNotification` after each write to the outbox. */
  listen: (onNotification: () => void) => OutboxListener
}

export interface Relay {
  close: () => Promise<void>
}

/** Polling finds events whose notification was lost or was received by a relay that died. */
const POLL_INTERVAL_MS = 1_000
const POLL_INTERVAL_WITHOUT_NOTIFICATIONS_MS = 25

const PAUSE_AFTER_FAILURE_MS = 500
const PAUSE_WITHOUT_NATS_MS = 100

/** Delivers the events of the outbox until it is closed. Any number of relays may run at once. */
function runRelay({ outbox, listen, stream, metrics, log }: RelayDeps): Relay {
  const deliverBatch = createBatchDelivery({ outbox, stream, metrics, log })
  let isClosing = false
  let isFailing = false
  let wake = () => {}
  let isDue = true
  const listener = listen(() => {
    isDue = true
    wake()
  })

  const waitUntilDue = async () => {
    if (isDue || isClosing) return
    const waking = new AbortController()
    wake = () => waking.abort()
    const pollMs = listener.isReceiving() ? POLL_INTERVAL_MS : POLL_INTERVAL_WITHOUT_NOTIFICATIONS_MS
    await sleep(pollMs, undefined, { signal: waking.signal }).catch(() => {})
    wake = () => {}
  }

  const run = async () => {
    while (!isClosing) {
      await waitUntilDue()
      isDue = false
      if (!stream.isUp()) {
        metrics.countFailure()
        await sleep(PAUSE_WITHOUT_NATS_MS)
        isDue = true
        continue
      }
      try {
        while ((await deliverBatch()) && !isClosing);
        if (isFailing) log.info('events are delivered again')
        isFailing = false
      } catch (error) {
        metrics.countFailure()
        if (!isFailing) log.warn({ err: error }, 'cannot deliver events; they stay in the outbox')
        isFailing = true
        await sleep(PAUSE_AFTER_FAILURE_MS)
        isDue = true
      }
    }
  }
  const running = run()

  return {
    close: async () => {
      isClosing = true
      wake()
      await Promise.all([running, listener.close()])
      await outbox.close()
    },
  }
}

export interface RelayOptions {
  /** Must support LISTEN: not through a pooler. */
  databaseUrl: string
  stream: EventStream
  metrics: Metrics
  log: Logger
}

/** The relay has its own connections, so that it takes none from requests. */
export function startRelay({ databaseUrl, stream, metrics, log }: RelayOptions): Relay {
  return runRelay({
    outbox: createOutbox(databaseUrl, log),
    listen: (onNotification) => listenToOutbox(databaseUrl, log, onNotification),
    stream,
    metrics: metrics.of(createRelayMetrics),
    log,
  })
}
