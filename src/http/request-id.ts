import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'

/** Safe to write to a log line and to a response header. */
const VALID_REQUEST_ID = /^[\w.:/+=-]{1,128}$/

/** Keeps a valid x-request-id of the client, so that one id follows a request through all services. */
export function createRequestId(newId: () => string) {
  return (request: IncomingMessage): string => {
    const given = request.headers['x-request-id']
    return typeof given === 'string' && VALID_REQUEST_ID.test(given) ? given : newId()
  }
}

export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
  },
  { name: 'request-id' },
)
