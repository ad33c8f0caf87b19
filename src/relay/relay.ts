import { setTimeout as sleep } from 'node:timers/promises'
import type { EventStream } from '../platform/events/jetstream.ts'
import type { OutboxListener } from '../platform/events/outbox-listener.ts'
import { type BatchDeliveryDeps, createBatchDelivery } from './batch.ts'

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
export function runRelay({ outbox, listen, stream, metrics, log }: RelayDeps): Relay {
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
