import type { Logger } from 'pino'
import type { ServiceStatus } from '../../contract/service.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { BreakerState } from '../../platform/upstream/breaker.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import type { Documents } from '../documents/documents.ts'
import type { Publication } from '../publication.ts'
import type { Service } from '../service.ts'
import { type Answers, createAnswers } from './answers.ts'
import { look } from './look.ts'
import { presentStatus } from './present.ts'
import { createPublisher } from './publisher.ts'
import { createWatch, type Watch } from './watch.ts'

export interface SentinelOptions {
  services: readonly Service[]
  documents: Documents
  publication: Publication
  log: Logger
  now: () => number
  metrics: Metrics
  breakerOf: (service: string) => BreakerState
}

export interface Sentinel {
  /** Looks at every service, and waits a moment for the operations of those that answer promptly. Needs the console's own
   * document. */
  start: (own: string) => Promise<void>
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
  const { services, documents, publication, log, now, metrics, breakerOf } = options
  const closing = new AbortController()
  const watches = services.map((service) => createWatch(service, now))
  const measures = new Map(services.map(({ name }) => [name, metrics.service(name)]))
  const measuresOf = (service: string) => measures.get(service) ?? metrics.service(service)
  const answers = createAnswers({ documents, log, now, measures: measuresOf })
  const publisher = createPublisher({ watches, documents, answers, publication })
  const timers = new Map<Watch, NodeJS.Timeout>()

  const watchOver = async (watch: Watch): Promise<void> => {
    const { service } = watch
    await look(watch, { publisher, log, now, closed: closing.signal, measures: measuresOf(service.name) })
    if (closing.signal.aborted) return
    const period = watch.state === 'up' ? service.pollMs : Math.min(service.pollMs, MOST_MS_WHILE_DOWN)
    // Replicas that were started together should not ask together for ever.
    const jittered = period * (0.9 + Math.random() * 0.2)
    timers.set(watch, setTimeout(() => void watchOver(watch), jittered).unref())
  }

  return {
    observeAnswer: answers.observe,
    statuses: () =>
      watches.map((watch) => presentStatus(watch, breakerOf(watch.service.name), answers.of(watch.adopted))),
    start: async (own) => {
      publisher.begin(own)
      const mounts = watches.map((watch) => Promise.race([watchOver(watch), watch.mountedOnce.promise]))
      await withTimeout(START_PATIENCE_MS, Promise.all(mounts), undefined)
    },
    close: async () => {
      closing.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await documents.close()
    },
  }
}
