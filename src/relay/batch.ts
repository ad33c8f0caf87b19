import type { Logger } from 'pino'
import { type EventStream, UnexpectedMessages } from '../platform/events/jetstream.ts'
import type { Outbox, OutboxBatch } from '../platform/events/outbox.ts'
import type { RelayMetrics } from '../platform/observe/metrics/events.ts'
import { compareWithStream, Diverged } from './compare.ts'
import { BATCH_SIZE, deliver } from './deliver.ts'

export interface BatchDeliveryDeps {
  outbox: Outbox
  stream: Pick<EventStream, 'ensure' | 'publish' | 'readAllTeams'>
  metrics: RelayMetrics
  log: Logger
}

/** Well below the time that the outbox lets a relay hold a batch: after that another relay may have taken over. */
const BATCH_TIMEOUT_MS = 8_000

const WHAT_TO_DO =
  'If the database was restored from a backup, run `npm run events:new-epoch`. If not, check NATS_URL and NATS_STREAM: ' +
  'each database needs its own stream. See docs/backup.md.'

/** Returns a function that delivers one batch, and returns whether there may be more events. It compares the stream with
 * the database first, and again after each failure: either may have been replaced. */
export function createBatchDelivery({
  outbox,
  stream,
  metrics,
  log,
}: BatchDeliveryDeps): () => Promise<boolean> {
  let isCompared = false
  let isReported = false

  const reportDiverged = (error?: Diverged) => {
    if (!isReported)
      log.error({ err: error }, `event delivery has stopped; events stay in the outbox. ${WHAT_TO_DO}`)
    isReported = true
  }

  const compare = async (batch: OutboxBatch): Promise<'same' | 'recorded' | 'diverged'> => {
    try {
      const { published, position, lost } = await compareWithStream(stream, batch)
      isCompared = true
      if (lost > 0) log.warn({ lost }, 'the stream has lost events that it had acknowledged')
      const { createdAt, lastSequence } = batch.position
      const isSame = createdAt === position.createdAt && lastSequence === position.lastSequence
      if (isSame && !batch.isDiverged) return 'same'
      metrics.observeDelivery(await batch.release(published, position))
      return 'recorded'
    } catch (error) {
      if (!(error instanceof Diverged)) throw error
      isCompared = true
      reportDiverged(error)
      await batch.stopDelivery()
      return 'diverged'
    }
  }

  const handle = async (batch: OutboxBatch): Promise<boolean> => {
    const deadline = performance.now() + BATCH_TIMEOUT_MS
    const { events, position } = batch
    // A sequence of 0 says nothing about which stream it is.
    const mustCompare = !isCompared || (events.length > 0 && position.lastSequence === 0)
    if (mustCompare) {
      const result = await compare(batch)
      if (result !== 'same') return result === 'recorded'
    }
    if (batch.isDiverged) {
      reportDiverged()
      return false
    }
    isReported = false
    const { delivered, lastSequence, failure } = await deliver(stream, batch, {
      deadline,
      isCompared: mustCompare,
    })
    if (delivered.length > 0)
      metrics.observeDelivery(await batch.release(delivered, { ...position, lastSequence }))
    if (failure instanceof UnexpectedMessages && !mustCompare) {
      isCompared = false
      return true
    }
    if (failure) throw failure
    return events.length === BATCH_SIZE
  }

  return async () => {
    try {
      const batch = await outbox.take(BATCH_SIZE)
      if (!batch) return false
      try {
        return await handle(batch)
      } finally {
        await batch.abandon()
      }
    } catch (error) {
      isCompared = false
      throw error
    }
  }
}
