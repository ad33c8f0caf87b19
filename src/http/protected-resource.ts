import type { FastifyPluginAsync } from 'fastify'
import { PERMISSIONS } from '../contract/permissions.ts'
import { Problem } from '../contract/problem.ts'
import { publicUrlOf } from './public-url.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'

export interface ProtectedResourceOptions {
  issuer: string
  publicUrl: string | undefined
}

/** Serves the metadata by which OAuth clients find the issuer of tokens for the console (RFC 9728). */
export const protectedResource: FastifyPluginAsync<ProtectedResourceOptions> = async (app, options) => {
  app.get(
    METADATA_PATH,
    { config: { permission: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const resource = publicUrlOf(request, options.publicUrl)
      if (resource === undefined) throw new Problem('bad_request')
      return reply.header('cache-control', 'no-cache').send({
        resource,
        authorization_servers: [options.issuer],
        scopes_supported: PERMISSIONS,
        bearer_methods_supported: ['header'],
        resource_name: 'Agent Console',
      })
    },
  )
}
