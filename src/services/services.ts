import type { Logger } from 'pino'
import type { ServiceStatus } from '../contract/service.ts'
import type { ServiceMetrics } from '../platform/observe/metrics/services.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { createUpstream } from '../platform/upstream/upstream.ts'
import { createSampledChecks } from './check/sampled-checks.ts'
import type { ServedDocument } from './combine/combine.ts'
import type { Service } from './file/service.ts'
import type { MountedService } from './mount/forward.ts'
import type { MountOptions } from './mount/routes.ts'
import { createPoller } from './poll/poller.ts'
import { createPublisher } from './publish/publisher.ts'
import { createServiceTokens, type ServiceTokenOptions } from './token/service-tokens.ts'
import type { ServiceToken } from './token/token-cache.ts'
import { createDocumentWorkers } from './workers/pool.ts'

export interface ServicesOptions extends ServiceTokenOptions {
  services: readonly Service[]
  log: Logger
  metrics: Metrics
}

/** The services that the services file names: their documents and their mounted operations. */
export interface Services {
  mount: MountOptions
  statuses: () => ServiceStatus[]
  /** The console's own document combined with theirs. */
  document: () => Promise<ServedDocument>
  /** Needs the console's own document. */
  start: (own: string) => Promise<void>
  close: () => Promise<void>
}

export function createServices(options: ServicesOptions): Services {
  const { services, log, now, metrics } = options
  const tokensOf = createServiceTokens(options)
  const mountedServices = new Map(
    services.map((service) => [service.name, toMounted(service, tokensOf(service), metrics)]),
  )
  const serviceMetrics = new Map(services.map(({ name }) => [name, metrics.service(name)]))
  const metricsOf = (name: string) => serviceMetrics.get(name) as ServiceMetrics
  const workers = createDocumentWorkers({ log })
  if (services.length > 0) workers.warmUp()
  const publisher = createPublisher({ services, workers, log })
  const checks = createSampledChecks({ workers, log, now, metricsOf })
  const breakerOf = (name: string) => mountedServices.get(name)?.upstream.breaker() ?? 'closed'
  const poller = createPoller({ services, workers, publisher, checks, log, now, metricsOf, breakerOf })
  return {
    mount: {
      table: () => publisher.current().table,
      services: mountedServices,
      observeResponse: checks.observe,
    },
    statuses: poller.statuses,
    document: async () => publisher.current().document,
    start: poller.start,
    close: async () => {
      poller.close()
      await workers.close()
      await Promise.all([...mountedServices.values()].map(({ upstream }) => upstream.close()))
    },
  }
}

function toMounted(service: Service, tokenFor: ServiceToken, metrics: Metrics): MountedService {
  const { name, url, deadlineMs, maxInFlight, maxRequestBytes, sampleRatio } = service
  const { readPermission, writePermission, budgetPriority } = service
  const { maxResponseBytes = Number.POSITIVE_INFINITY } = service
  return {
    url,
    upstream: createUpstream({ name, url, deadlineMs, maxResponseBytes, maxInFlight, metrics }),
    ...{ tokenFor, readPermission, writePermission, budgetPriority, maxRequestBytes, sampleRatio },
  }
}
