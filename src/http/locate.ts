import fp from 'fastify-plugin'

/** What a route that stands for many operations found for a request. */
export interface Located {
  /** The path of the operation, in the place of the route's own in log and metrics. */
  route: string
  service: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Throws where the path, or the method at that path, names nothing. */
    locate?: (request: FastifyRequest) => Located
  }
  interface FastifyRequest {
    located: Located | undefined
  }
}

/** Before anybody is asked who he is: what is not there is a 404 to everybody. */
export const locating = fp(
  async (app) => {
    app.decorateRequest('located')
    app.addHook('onRequest', async (request) => {
      request.located = request.routeOptions.config.locate?.(request)
    })
  },
  { name: 'locating' },
)
