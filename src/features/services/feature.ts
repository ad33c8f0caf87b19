import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, permissionErrors } from '../../api/operation.ts'
import type { Core, Feature } from '../../core.ts'
import { openApiRoute } from '../../http/openapi/openapi.ts'
import { createUpstream } from '../../platform/upstream/upstream.ts'
import type { MountedService } from './mount/forward.ts'
import { type MountDeps, type MountOptions, mountRoutes } from './mount/routes.ts'
import { Poller } from './poll/poller.ts'
import { DocumentWorkers, Publisher } from './poll/publisher.ts'
import { SERVICE_SCHEMAS, ServiceList } from './schema.ts'
import { createServiceTokens, TokenExchange } from './tokens.ts'

export interface ServiceDeps extends MountDeps {
  /** What is mounted instead of the services of the services file. */
  mount?: MountOptions | undefined
}

/** Mounts the services that the services file names, and combines their documents with the console's own. */
export function serviceFeature(core: Core, { mount, ...deps }: ServiceDeps): Feature {
  const { config, log, metrics } = core
  const { services } = config
  return {
    schemas: SERVICE_SCHEMAS,
    routes: async (app) => {
      const exchange = config.exchange && new TokenExchange(core, config.exchange)
      const mounted = new Map(
        services.map((service): [string, MountedService] => {
          const upstream = createUpstream({ ...service, metrics })
          return [
            service.name,
            { ...service, upstream, tokens: createServiceTokens(core, service, exchange) },
          ]
        }),
      )
      const workers = new DocumentWorkers({ log })
      if (services.length > 0) workers.warmUp()
      const publisher = new Publisher(services, workers)
      const breakerOf = (name: string) => mounted.get(name)?.upstream.breaker() ?? 'closed'
      const poller = new Poller({ ...core, services, workers, publisher, breakerOf })
      app.addHook('onClose', async () => {
        poller.close()
        await workers.close()
        await Promise.all([...mounted.values()].map(({ upstream }) => upstream.close()))
      })
      await app.register(serviceRoutes, { poller })
      await app.register(openApiRoute, {
        onReady: (own) => poller.start(own),
        getDocument: async () => publisher.current.document,
      })
      const published = { table: () => publisher.current.table, services: mounted }
      await app.register(mountRoutes, { ...(mount ?? published), ...deps })
    },
  }
}

const serviceRoutes: FastifyPluginAsyncTypebox<{ poller: Poller }> = async (app, { poller }) => {
  app.get(
    '/v1/services',
    operation('Services', 'service:read', {
      operationId: 'listServices',
      summary: 'List Services',
      description:
        'Returns the state of the services behind the console, as the replica that handles the request sees them: ' +
        'the state of their OpenAPI documents and when these changed, the reasons why a document cannot be used, and ' +
        'the circuit breaker.',
      response: {
        200: jsonResponse('All services.', ref(ServiceList)),
        ...permissionErrors(),
      },
    }),
    async () => ({ results: poller.statuses() }),
  )
}
