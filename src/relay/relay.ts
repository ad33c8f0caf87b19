import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream } from '../platform/jetstream.ts'
import type { RelayMetrics } from '../platform/metrics.ts'
import type { Outbox } from '../platform/outbox.ts'
import type { OutboxListener } from '../platform/outbox-listener.ts'
import { deliver } from './deliver.ts'

export interface RelayDeps {
  outbox: Outbox
  /** Calls `onNotification` after each write to the outbox. */
  listen: (onNotification: () => void) => OutboxListener
  stream: Pick<EventStream, 'isUp' | 'ensure' | 'publish'>
  metrics: RelayMetrics
  log: Logger
}

export interface Relay {
  close: () => Promise<void>
}

const BATCH_SIZE = 1_000

/** Finds events without a notification: it got lost, or the relay that received it died. */
const POLL_INTERVAL_MS = 1_000
const POLL_INTERVAL_WITHOUT_NOTIFICATIONS_MS = 25

const PAUSE_AFTER_FAILURE_MS = 500
const PAUSE_WITHOUT_NATS_MS = 100

/** Delivers the events of the outbox until it is closed. Any number of relays may run at once. */
export function runRelay({ outbox, listen, stream, metrics, log }: RelayDeps): Relay {
  let isClosing = false
  let isStreamReady = false
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

  /** Returns whether there may be more events. */
  const deliverBatch = async (): Promise<boolean> => {
    if (!isStreamReady) await stream.ensure()
    isStreamReady = true
    const batch = await outbox.take(BATCH_SIZE)
    if (!batch) return false
    const { delivered, failure } = await deliver(stream, batch.events)
    metrics.observeDelivery(await batch.release(delivered))
    if (failure) throw failure
    return batch.events.length === BATCH_SIZE
  }

  const run = async () => {
    while (!isClosing) {
      await waitUntilDue()
      isDue = false
      if (!stream.isUp()) {
        await sleep(PAUSE_WITHOUT_NATS_MS)
        isDue = true
        continue
      }
      try {
        while ((await deliverBatch()) && !isClosing);
        if (isFailing) log.info('events are delivered again')
        isFailing = false
      } catch (error) {
        // The stream may have been deleted or replaced.
        isStreamReady = false
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
