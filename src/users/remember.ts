import fp from 'fastify-plugin'
import type { Users } from './service.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request may leave a record in the audit log. By default a GET does not, and every other method does. */
    isAudited?: boolean
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Stores the display name of a caller whose request has succeeded and may have left a record in the audit log. */
export const rememberUsers = fp(
  async (app, { remember }: Pick<Users, 'remember'>) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions } = request
      // Absent on routes that need no user.
      const caller = request.caller as typeof request.caller | undefined
      const isAudited = routeOptions.config.isAudited ?? !SAFE_METHODS.includes(method)
      if (caller && isAudited && reply.statusCode < 400) remember(caller)
      done()
    })
  },
  { name: 'remember-users' },
)
