import fp from 'fastify-plugin'

/** Headers of every response, in the form of `reply.headers`. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const READS = ['GET', 'HEAD', 'OPTIONS']

export const securityHeaders = fp(
  async (app) => {
    // In onRequest, so that the responses of mounted operations have them, too.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(SECURITY_HEADERS)
      done()
    })
    // The response to a write may contain the secrets of the request.
    app.addHook('onSend', ({ method, routeOptions }, reply, payload, done) => {
      const isOwnWrite = !READS.includes(method) && !routeOptions.config?.forwards
      if (isOwnWrite && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      done(null, payload)
    })
  },
  { name: 'security-headers' },
)
