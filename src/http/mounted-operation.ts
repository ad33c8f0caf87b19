import fp from 'fastify-plugin'

/** The operation of a mounted service that a request addresses. */
export interface MountedOperation {
  /** The path template of the operation; log and metrics show it in place of the wildcard route. */
  route: string
  service: string
  /** The permission that the services file asks for. */
  permission: string | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the wildcard route of mounted services. Throws a 404 or 405 if no operation matches. */
    findMountedOperation?: (request: FastifyRequest) => MountedOperation
  }
  interface FastifyRequest {
    mountedOperation: MountedOperation | undefined
  }
}

/** Runs before authentication: an unknown path is a 404 with or without a token. */
export const mountedOperation = fp(
  async (app) => {
    app.decorateRequest('mountedOperation')
    app.addHook('onRequest', (request, _reply, done) => {
      try {
        request.mountedOperation = request.routeOptions.config.findMountedOperation?.(request)
        done()
      } catch (error) {
        done(error as Error)
      }
    })
  },
  { name: 'mounted-operation' },
)
