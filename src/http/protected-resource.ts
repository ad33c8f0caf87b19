import type { FastifyPluginAsync } from 'fastify'
import type { Permission } from '../contract/permissions.ts'
import { Problem } from '../contract/problem.ts'
import { publicUrlOf } from './public-url.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'

export interface ProtectedResourceOptions {
  issuer: string
  publicUrl: string | undefined
  /** `path` is empty for the whole console. */
  resources: readonly { path: string; name: string; scopes: readonly Permission[] }[]
}

/** Serves the metadata by which OAuth clients find the issuer of tokens for the console (RFC 9728). */
export const protectedResource: FastifyPluginAsync<ProtectedResourceOptions> = async (app, options) => {
  for (const { path, name, scopes } of options.resources) {
    app.get(
      METADATA_PATH + path,
      { config: { permission: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const url = publicUrlOf(request, options.publicUrl)
        if (url === undefined) throw new Problem('bad_request')
        return reply.header('cache-control', 'no-cache').send({
          resource: url + path,
          authorization_servers: [options.issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          resource_name: name,
        })
      },
    )
  }
}
