import type { Logger } from 'pino'
import type { ServiceStatus } from '../contract/service.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createUpstream } from '../platform/upstream/upstream.ts'
import { createDocuments } from './documents/documents.ts'
import type { ServedDocument } from './documents/served.ts'
import type { MountedService } from './mount/forward.ts'
import type { MountOptions } from './mount/routes.ts'
import { createPublication } from './publication.ts'
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
  document: () => Promise<ServedDocument>
  /** Needs the console's own document. */
  start: (own: string) => Promise<void>
  close: () => Promise<void>
}

export function createServices({ services, log, now, metrics }: ServicesOptions): Services {
  const publication = createPublication(
    log,
    services.flatMap(({ prefixes }) => prefixes),
  )
  const mountedServices = new Map(services.map((service) => [service.name, toMounted(service, metrics)]))
  const documents = createDocuments()
  if (services.length > 0) documents.warmUp()
  const sentinel = createSentinel({
    services,
    documents,
    publication,
    log,
    now,
    metrics,
    breakerOf: (name) => mountedServices.get(name)?.upstream.breaker() ?? 'closed',
  })
  return {
    mount: {
      mounted: publication.mounted,
      services: mountedServices,
      observeAnswer: sentinel.observeAnswer,
    },
    statuses: sentinel.statuses,
    document: publication.document,
    start: sentinel.start,
    close: async () => {
      await sentinel.close()
      await Promise.all([...mountedServices.values()].map(({ upstream }) => upstream.close()))
    },
  }
}

function toMounted(service: Service, metrics: Metrics): MountedService {
  const { name, url, deadlineMs, sampleRatio } = service
  const maxResponseBytes = service.maxAnswerBytes ?? Number.POSITIVE_INFINITY
  return {
    url,
    upstream: createUpstream({ name, url, deadlineMs, maxResponseBytes, metrics }),
    maxRequestBytes: service.maxRequestBytes ?? Number.POSITIVE_INFINITY,
    sampleRatio,
  }
}
