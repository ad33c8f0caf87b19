import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'

/** What may go into a log line and back into a header as it came. */
const ACCEPTABLE = /^[\w.:/+=-]{1,128}$/

/** The caller's request id where it sent a usable one, so that one id follows a request through services. */
export function createRequestId(newId: () => string) {
  return (request: IncomingMessage): string => {
    const given = request.headers['x-request-id']
    return typeof given === 'string' && ACCEPTABLE.test(given) ? given : newId()
  }
}

export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id)
    })
  },
  { name: 'request-id' },
)
