import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { SpanStatusCode } from '@opentelemetry/api'
import type { Registry } from '@prometheus-io/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Metrics } from '../platform/observe/metrics.ts'
import { type RequestSpan, startRequestSpan } from '../platform/observe/tracing.ts'
import { routeOf } from './request.ts'

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

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request is not sampled. */
    traced: RequestSpan | undefined
  }
}

/** Records a span for each sampled request, with the template of its path and never the path itself, and names the
 * trace in its log lines. */
export const tracing = fp(
  async (app) => {
    app.decorateRequest('traced', undefined)
    app.addHook('onRequest', (request, _reply, done) => {
      const { method, headers } = request
      const traced = startRequestSpan(method, headers, {
        'http.request.method': method,
        'http.request.id': request.id,
      })
      if (!traced) return done()
      request.traced = traced
      request.log = request.log.child({ trace_id: traced.span.spanContext().traceId })
      traced.run(done)
    })
    // The body arrives in callbacks of the connection, which know nothing of the request.
    app.addHook('preValidation', (request, _reply, done) => {
      if (request.traced) request.traced.run(done)
      else done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      end(request, reply)
      done()
    })
    // onResponse does not run for a client that disconnects.
    app.addHook('onRequestAbort', async (request) => {
      request.traced?.span.setAttribute('error.type', 'client_disconnected')
      end(request)
    })
  },
  { name: 'tracing' },
)

function end(request: FastifyRequest, reply?: FastifyReply): void {
  if (!request.traced) return
  const { span } = request.traced
  const route = routeOf(request)
  span.updateName(`${request.method} ${route}`)
  span.setAttribute('http.route', route)
  if (request.verified) span.setAttribute('console.team_id', request.verified.teamId)
  if (reply) {
    span.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  }
  request.traced.end()
  request.traced = undefined
}

/** Metrics have their own port, so that the public port never exposes them. */
export async function startMetricsServer(registry: Registry, port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}
