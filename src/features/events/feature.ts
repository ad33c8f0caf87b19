import { AgentEvent, DEFAULT_SUBJECT_PREFIX } from '../../api/events.ts'
import { API_VERSION } from '../../api/operation.ts'
import type { Core, Feature } from '../../core.ts'
import type { DeliveryState } from '../../http/health.ts'
import { createSampler, type Sampler, withTimeout } from '../../platform/async.ts'
import { asyncApiRoute, describeEvents } from './asyncapi.ts'
import { observeBacklog } from './metrics.ts'
import { notifyAfterWrites } from './notifications.ts'
import { type Backlog, readBacklog } from './outbox.ts'

export { readEpoch } from './outbox.ts'

export interface EventFeature extends Feature {
  /** How far the delivery of events is. */
  delivery: () => Promise<DeliveryState>
}

/** Describes the events of changes, and observes their delivery, which relays do. */
export function eventFeature({ database, events, metrics }: Core): EventFeature {
  const backlog = createSampler(() => readBacklog(database.system))
  return {
    delivery: async () => {
      if (!events) return { state: 'off' }
      // The state first: it returns within its own time limit even if the database hangs.
      const isUp = (await database.state()).state !== 'down'
      return isUp ? readDelivery(backlog) : { state: 'unknown' }
    },
    schemas: [AgentEvent],
    routes: async (app) => {
      observeBacklog(metrics, backlog.latest)
      app.addHook('onClose', async () => backlog.close())
      const subjectPrefix = events?.subjectPrefix ?? DEFAULT_SUBJECT_PREFIX
      await app.register(asyncApiRoute, { document: describeEvents(API_VERSION, subjectPrefix) })
    },
  }
}

/** Returns a core whose writes notify the relays. */
export function notifyRelays(core: Core): Core {
  const { database, events, log } = core
  if (!events) return core
  const { of } = notifyAfterWrites(database, database.system, log)
  return { ...core, database: { ...database, of } }
}

/** Orchestrators treat a slow health check as a failure. */
const BACKLOG_TIMEOUT_MS = 500

/** The relay needs less than this to deliver the events of a burst of writes. */
const BEHIND_SECONDS = 10

async function readDelivery(sampler: Sampler<Backlog>): Promise<DeliveryState> {
  const reading = sampler.read().catch(() => undefined)
  const backlog = await withTimeout(BACKLOG_TIMEOUT_MS, reading, undefined)
  if (!backlog) return { state: 'unknown' }
  const isBehind = backlog.oldestSeconds > BEHIND_SECONDS
  return {
    state: backlog.diverged ? 'diverged' : isBehind ? 'behind' : 'current',
    waiting: backlog.waiting,
    oldest_seconds: Math.round(backlog.oldestSeconds),
  }
}
