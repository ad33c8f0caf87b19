import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { PERMISSIONS, type Permission } from '../../api/caller.ts'
import { described, nullable, oneOf, ref, UnixSeconds, Uuid } from '../../api/fields.ts'
import { jsonResponse, memberErrors, operation, responseHeaders } from '../../api/operation.ts'
import { Problem } from '../../api/problem.ts'
import { JSON_TYPE, sendCached, toCached } from '../compression.ts'
import type { VerifiedToken } from './identity.ts'

export const Me = Type.Object(
  {
    user_id: described(Uuid, 'User of the token. Revisions and the audit log show it.'),
    team_id: described(Uuid, 'Team of the request. The request sees only the agents of this team.'),
    name: nullable(Type.String({ description: 'Display name of the user. null: the token has none.' })),
    permissions: Type.Array(oneOf(PERMISSIONS), {
      description:
        'Permissions that the token grants at the console. Other values of the token are left out.',
    }),
    client_id: nullable(
      Type.String({
        description: 'Application that the token was issued to. null: the token does not say it.',
      }),
    ),
    expires_at: described(UnixSeconds, 'Time when the token expires, Unix time in seconds.'),
  },
  { $id: 'Me', description: 'Who the caller is for the console.' },
)
export type Me = Static<typeof Me>

export const meRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/v1/me',
    operation('Users', 'member', {
      operationId: 'getMe',
      summary: 'Get Me',
      description:
        'Returns who the caller is for the console: user, team, name, permissions, and when the token expires.',
      response: {
        200: jsonResponse('The caller.', ref(Me), { headers: responseHeaders('cache-control') }),
        ...memberErrors(),
      },
    }),
    async ({ caller, verified }, reply) => {
      const { permissions, expiresAt } = verified as VerifiedToken
      reply.header('cache-control', 'no-store')
      return {
        user_id: caller.userId,
        team_id: caller.teamId,
        name: caller.name,
        permissions: PERMISSIONS.filter((permission) => permissions.has(permission)),
        client_id: caller.clientId,
        expires_at: Math.floor(expiresAt),
      }
    },
  )
}

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

/** A name or an address, with or without a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])(?::|$)/i

/** Where clients reach the console, without a slash at the end. `configured` is PUBLIC_URL. Without it, it is the host
 * that the request names: with https, because TLS ends in front of the console, except on this machine. Undefined if
 * the request names no valid host. */
export function publicUrlOf({ headers }: FastifyRequest, configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured
  const { host = '' } = headers
  if (!HOST.test(host)) return undefined
  return `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}`
}

/** Serves the public keys with which services verify the assertions of the console. */
export const jwksRoute: FastifyPluginAsync<{ publicKeys: object }> = async (app, { publicKeys }) => {
  // A new key is published before it signs, so a copy of five minutes does no harm (docs/services.md).
  const content = toCached(JSON.stringify(publicKeys), JSON_TYPE, 'public, max-age=300')
  app.get(
    '/.well-known/jwks.json',
    { config: { permission: 'public' }, schema: { hide: true } },
    async (request, reply) => sendCached(request, reply, content),
  )
}
