import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { answerClientError } from './client-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body passes through as it comes, for as long as it moves. */
    streams?: boolean
  }
}

/** A client that takes longer to send a request is not one. */
const ARRIVAL_MS = 15_000

/** Node's own limit is for all requests alike, and would cut off an upload of a gigabyte that goes on well. */
export const arrival = fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (!request.routeOptions.config.streams && hasBody(request.raw)) limit(request.raw, reply)
    })
    // An answer may come before the end of an upload. What is left of it is of no use to anybody, but until it was
    // read the connection is of none either.
    app.addHook('onResponse', async ({ routeOptions, raw }, reply) => {
      if (!routeOptions.config.streams || raw.complete) return
      limit(raw, reply)
      raw.resume()
    })
  },
  { name: 'arrival' },
)

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

function limit(request: IncomingMessage, reply: FastifyReply): void {
  const timer = setTimeout(() => {
    if (reply.raw.headersSent) request.socket.destroy()
    else answerClientError(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket)
  }, ARRIVAL_MS).unref()
  // Not told of a connection that is gone after the answer: then the timer finds nothing left to end.
  request.once('close', () => clearTimeout(timer))
}
