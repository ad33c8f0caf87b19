import type { Logger } from 'pino'
import type { ServiceStatus } from '../contract/service.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createUpstream } from '../platform/upstream/upstream.ts'
import { createDocuments } from './documents/documents.ts'
import { type ServedDocument, toServed } from './documents/served.ts'
import type { MountedService } from './mount/forward.ts'
import type { MountOptions } from './mount/routes.ts'
import { createMountedTable, createMountedTableInTurns } from './mount/table.ts'
import { createSentinel } from './sentinel/sentinel.ts'
import type { Service } from './service.ts'

export interface ServicesOptions {
  services: readonly Service[]
  log: Logger
  now: () => number
  metrics: Metrics
}

/** Everything behind the console that the services file names. */
export interface Services {
  mount: MountOptions
  statuses: () => ServiceStatus[]
  /** The console's own document together with theirs. */
  document: () => ServedDocument
  /** Needs the console's own document. */
  start: (own: string) => Promise<void>
  close: () => Promise<void>
}

export function createServices({ services, log, now, metrics }: ServicesOptions): Services {
  const mounted = { current: createMountedTable([]) }
  const mountedServices = new Map(services.map((service) => [service.name, toMounted(service, metrics)]))
  const documents = createDocuments()
  if (services.length > 0) documents.warmUp()
  let own = ''
  let served: ServedDocument = toServed('')
  const sentinel = createSentinel({
    services,
    documents,
    log,
    now,
    metrics,
    own: () => own,
    breakerOf: (name) => mountedServices.get(name)?.upstream.breaker() ?? 'closed',
    onPublish: async (published) => {
      const table = await createMountedTableInTurns(published.operations)
      for (const { operation, reason } of table.refused) log.error({ service: operation.service }, reason)
      mounted.current = table
      served = published
    },
  })
  return {
    mount: { mounted, services: mountedServices, observeAnswer: sentinel.observeAnswer },
    statuses: sentinel.statuses,
    document: () => served,
    start: async (text) => {
      own = text
      served = toServed(text)
      await sentinel.start()
    },
    close: async () => {
      await sentinel.close()
      await Promise.all([...mountedServices.values()].map(({ upstream }) => upstream.close()))
    },
  }
}

function toMounted(service: Service, metrics: Metrics): MountedService {
  const { name, url, deadlineMs, sampleRatio } = service
  const maxAnswerBytes = service.maxAnswerBytes ?? Number.POSITIVE_INFINITY
  return {
    url,
    upstream: createUpstream({ name, url, deadlineMs, maxAnswerBytes, metrics }),
    maxRequestBytes: service.maxRequestBytes ?? Number.POSITIVE_INFINITY,
    sampleRatio,
  }
}
