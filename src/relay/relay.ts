import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EventStream } from '../platform/event-stream.ts'
import type { RelayMetrics } from '../platform/metrics.ts'
import type { Outbox } from '../platform/outbox.ts'
import type { OutboxListener } from '../platform/outbox-listener.ts'
import { deliver } from './deliver.ts'

export interface RelayDeps {
  outbox: Outbox
  /** Begins to listen; what it is given is called whenever something was written. */
  listen: (onWritten: () => void) => OutboxListener
  stream: Pick<EventStream, 'isUp' | 'ensure' | 'publish'>
  measures: RelayMetrics
  log: Logger
}

export interface Relay {
  close: () => Promise<void>
}

const BATCH = 1_000

/** For what nobody announced: a write whose announcement was lost, the backlog of a relay that died. */
const POLL_MS = 1_000
const POLL_WHEN_DEAF_MS = 25

const PAUSE_AFTER_FAILURE_MS = 500
const PAUSE_WITHOUT_NATS_MS = 100

/** Delivers what waits in the outbox, for as long as it runs. Any number may run at once. */
export function runRelay({ outbox, listen, stream, measures, log }: RelayDeps): Relay {
  let isEnding = false
  let isStreamMade = false
  let isFailing = false
  let wake = () => {}
  let isDue = true
  const listener = listen(() => {
    isDue = true
    wake()
  })

  const untilDue = async () => {
    if (isDue || isEnding) return
    const patience = new AbortController()
    wake = () => patience.abort()
    const pollMs = listener.isReceiving() ? POLL_MS : POLL_WHEN_DEAF_MS
    await sleep(pollMs, undefined, { signal: patience.signal }).catch(() => {})
    wake = () => {}
  }

  /** Answers whether more may be waiting. */
  const deliverBatch = async (): Promise<boolean> => {
    if (!isStreamMade) await stream.ensure()
    isStreamMade = true
    const batch = await outbox.take(BATCH)
    if (!batch) return false
    const { delivered, failure } = await deliver(stream, batch.events)
    const waits = await batch.release(delivered)
    measures.delivered(waits)
    if (failure) throw failure
    return batch.events.length === BATCH
  }

  const run = async () => {
    while (!isEnding) {
      await untilDue()
      isDue = false
      if (!stream.isUp()) {
        await sleep(PAUSE_WITHOUT_NATS_MS)
        isDue = true
        continue
      }
      try {
        while ((await deliverBatch()) && !isEnding);
        if (isFailing) log.info('events are delivered again')
        isFailing = false
      } catch (error) {
        // The stream may be gone, or another one: it is looked at again before the next batch.
        isStreamMade = false
        measures.failed()
        if (!isFailing) log.warn({ err: error }, 'events could not be delivered; they wait in the outbox')
        isFailing = true
        await sleep(PAUSE_AFTER_FAILURE_MS)
        isDue = true
      }
    }
  }
  const running = run()

  return {
    close: async () => {
      isEnding = true
      wake()
      await Promise.all([running, listener.close()])
      await outbox.close()
    },
  }
}
