import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../contract/fields.ts'
import { featureOperation, permissionErrors } from '../contract/operation.ts'
import { jsonResponse } from '../contract/responses.ts'
import { ServiceList, type ServiceStatus } from '../contract/service.ts'

export const serviceRoutes: FastifyPluginAsyncTypebox<{ statuses: () => ServiceStatus[] }> = async (
  app,
  { statuses },
) => {
  app.get(
    '/v1/services',
    {
      config: { permission: 'service:read' },
      schema: {
        operationId: 'listServices',
        summary: 'List Services',
        description:
          'Returns the state of the services behind the console, as the replica that handles the request sees them: the state of ' +
          'their OpenAPI documents and when these changed, the reasons why a document cannot be used, and the circuit breaker.',
        ...featureOperation('Services'),
        response: {
          200: jsonResponse('All services.', ref(ServiceList)),
          ...permissionErrors(),
        },
      },
    },
    async () => ({ results: statuses() }),
  )
}
