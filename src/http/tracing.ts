import { SpanStatusCode } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type RequestSpan, startRequestSpan } from '../platform/tracing/spans.ts'
import { routeOf } from './route-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request is not sampled. */
    traced: RequestSpan | undefined
  }
}

/** Records a span for each sampled request, with the template of its path and never the path itself, and names the trace in
 * its log lines. */
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
