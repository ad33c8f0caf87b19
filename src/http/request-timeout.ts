import type { IncomingMessage, ServerResponse } from 'node:http'
import fp from 'fastify-plugin'
import { handleClientError } from './malformed-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler streams the request body, so there is no time limit for receiving it. */
    streams?: boolean
  }
}

/** Time limit for receiving a request. */
const REQUEST_TIMEOUT_MS = 15_000

/** Node's own `requestTimeout` applies to every request and would cut off a large upload that is making progress. */
export const requestTimeout = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      if (!request.routeOptions.config.streams && hasBody(request.raw)) limitBodyTime(request.raw, reply.raw)
      done()
    })
    // The response may be sent before the upload ends. Discard the rest: Node reuses a connection only after the
    // whole request has been read.
    app.addHook('onResponse', ({ routeOptions, raw }, reply, done) => {
      if (routeOptions.config.streams && !raw.complete) {
        limitBodyTime(raw, reply.raw)
        raw.resume()
      }
      done()
    })
  },
  { name: 'request-timeout' },
)

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Ends the connection if the body of the request has not arrived in time. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => {
    if (response.headersSent) request.socket.destroy()
    else handleClientError(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket)
  }, REQUEST_TIMEOUT_MS).unref()
  // Node emits no 'close' when the connection is lost after the response; the timer then has nothing to destroy.
  request.once('close', () => clearTimeout(timer))
}
