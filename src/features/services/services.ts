import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Logger } from 'pino'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, permissionErrors } from '../../api/operation.ts'
import type { Service } from '../../config/services-file.ts'
import type { Metrics } from '../../platform/observe/metrics.ts'
import { createUpstream } from '../../platform/upstream/upstream.ts'
import type { ServedDocument } from './document/combine.ts'
import { createServiceMetrics } from './metrics.ts'
import type { MountedService } from './mount/forward.ts'
import type { MountOptions } from './mount/routes.ts'
import { createPoller } from './poll/poller.ts'
import { createDocumentWorkers, createPublisher } from './poll/publisher.ts'
import { ServiceList, type ServiceStatus } from './schema.ts'
import { createServiceTokens, type ServiceTokenOptions } from './tokens.ts'

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
    services.map((service): [string, MountedService] => {
      const upstream = createUpstream({ ...service, metrics })
      return [service.name, { ...service, upstream, tokenFor: tokensOf(service) }]
    }),
  )
  const workers = createDocumentWorkers({ log })
  if (services.length > 0) workers.warmUp()
  const publisher = createPublisher({ services, workers })
  const breakerOf = (name: string) => mountedServices.get(name)?.upstream.breaker() ?? 'closed'
  const shared = { services, workers, publisher, log, now }
  const poller = createPoller({ ...shared, breakerOf, metricsOf: metrics.of(createServiceMetrics) })
  return {
    mount: { table: () => publisher.current().table, services: mountedServices },
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

export const serviceRoutes: FastifyPluginAsyncTypebox<{ statuses: () => ServiceStatus[] }> = async (
  app,
  { statuses },
) => {
  app.get(
    '/v1/services',
    operation('Services', 'service:read', {
      operationId: 'listServices',
      summary: 'List Services',
      description:
        'Returns the state of the services behind the console, as the replica that handles the request sees them: the state of ' +
        'their OpenAPI documents and when these changed, the reasons why a document cannot be used, and the circuit breaker.',
      response: {
        200: jsonResponse('All services.', ref(ServiceList)),
        ...permissionErrors(),
      },
    }),
    async () => ({ results: statuses() }),
  )
}
