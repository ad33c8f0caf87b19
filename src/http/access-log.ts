import fp from 'fastify-plugin'
import type { Metrics } from '../platform/observe/metrics.ts'
import { routeOf } from './route-of.ts'

/** Writes one log line and one metric for each request. Neither contains headers, body or query: they may hold
 * secrets. */
export const accessLog = fp(
  async (app, { metrics }: { metrics: Metrics }) => {
    app.addHook('onResponse', (request, reply, done) => {
      const route = routeOf(request)
      const { method, mountedOperation } = request
      const service = mountedOperation?.service
      const upstream = service ?? (request.routeOptions.config.forwards ? 'evolution' : undefined)
      metrics.observeRequest({
        method,
        route,
        status: reply.statusCode,
        upstream,
        seconds: reply.elapsedTime / 1_000,
      })
      request.log.info(
        {
          method,
          route,
          service,
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
          team_id: request.verified?.teamId,
          user_id: request.verified?.userId,
        },
        'request',
      )
      done()
    })
    // onResponse does not run for a client that disconnects.
    app.addHook('onRequestAbort', async (request) => {
      request.log.info({ method: request.method, route: routeOf(request) }, 'client disconnected')
    })
  },
  { name: 'access-log' },
)
