import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Metrics } from '../platform/metrics.ts'

/** One line and one measurement a request, when it has ended. Neither holds a header, a body or a query:
 * any of them may carry a secret. */
export const accessLog = fp(
  async (app, { metrics }: { metrics: Metrics }) => {
    app.addHook('onResponse', async (request, reply) => {
      const route = routeOf(request)
      const { method } = request
      metrics.observeRequest({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 })
      request.log.info(
        {
          method,
          route,
          service: request.located?.service,
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
          team_id: request.verified?.teamId,
          user_id: request.verified?.userId,
        },
        'request',
      )
    })
    // A client that hangs up gets no response, and would leave no trace.
    app.addHook('onRequestAbort', async (request) => {
      request.log.info({ method: request.method, route: routeOf(request) }, 'client hung up')
    })
  },
  { name: 'access-log' },
)

/** Never the path as it came: it may hold anything. */
function routeOf({ located, routeOptions }: FastifyRequest): string {
  if (located) return located.route
  return routeOptions.config.locate ? 'unknown' : (routeOptions.url ?? 'unknown')
}
