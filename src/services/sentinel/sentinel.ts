import type { Logger } from 'pino'
import type { ServiceStatus } from '../../contract/service.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { BreakerState } from '../../platform/upstream/breaker.ts'
import { within } from '../../platform/within.ts'
import type { Documents } from '../documents/documents.ts'
import type { Published } from '../documents/protocol.ts'
import type { Service } from '../service.ts'
import { type Answers, createAnswers } from './answers.ts'
import { presentStatus } from './present.ts'
import { createReading } from './reading.ts'
import { createWatch, look, type Watch } from './watch.ts'

export interface SentinelOptions {
  services: readonly Service[]
  documents: Documents
  log: Logger
  now: () => number
  metrics: Metrics
  breakerOf: (service: string) => BreakerState
  /** The console's own document. */
  own: () => string
  /** Puts what is combined in use, all at once. */
  onPublish: (published: Published) => Promise<void>
}

export interface Sentinel {
  /** Looks at every service, and waits a moment for those that answer promptly. */
  start: () => Promise<void>
  statuses: () => ServiceStatus[]
  observeAnswer: Answers['observe']
  close: () => Promise<void>
}

/** Nobody waits longer for services that may be down. */
const START_PATIENCE_MS = 2_000
/** Where there is something to be mended, whoever mends it should not have to wait long. */
const MOST_MS_WHILE_DOWN = 2_000

/** Watches the documents of all services, and what is mounted by them. */
export function createSentinel(options: SentinelOptions): Sentinel {
  const { services, documents, log, now, metrics, own, onPublish, breakerOf } = options
  const closing = new AbortController()
  const watches = services.map((service) => createWatch(service, now))
  const measures = new Map(services.map(({ name }) => [name, metrics.service(name)]))
  const measuresOf = (service: string) => measures.get(service) ?? metrics.service(service)
  const answers = createAnswers({ documents, log, now, measures: measuresOf })
  const timers = new Map<Watch, NodeJS.Timeout>()
  const reading = createReading(documents)
  const publish = coalesce(async () => {
    await reading.settled()
    const readied = watches.flatMap(({ candidate, adopted }) => candidate ?? adopted ?? [])
    const published = await documents.combine(own(), readied)
    answers.mount(published.operations, readied)
    await onPublish(published)
  })

  const watchOver = async (watch: Watch): Promise<void> => {
    const { service } = watch
    await look(watch, {
      documents: reading.documents,
      log,
      now,
      publish,
      closed: closing.signal,
      measures: measuresOf(service.name),
    })
    if (closing.signal.aborted) return
    const period = watch.state === 'up' ? service.pollMs : Math.min(service.pollMs, MOST_MS_WHILE_DOWN)
    // Replicas that were started together should not ask together for ever.
    const jittered = period * (0.9 + Math.random() * 0.2)
    timers.set(watch, setTimeout(() => void watchOver(watch), jittered).unref())
  }

  return {
    observeAnswer: answers.observe,
    statuses: () =>
      watches.map((watch) =>
        presentStatus(watch, breakerOf(watch.service.name), answers.of(watch.service.name)),
      ),
    start: async () => {
      await within(START_PATIENCE_MS, Promise.all(watches.map(watchOver)), undefined)
    },
    close: async () => {
      closing.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await documents.close()
    },
  }
}

/** Whoever asks while it runs gets the next run, and shares it with all who ask meanwhile. */
function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
