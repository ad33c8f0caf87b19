import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../contract/fields.ts'
import { Me } from '../contract/me.ts'
import { featureOperation, memberErrors } from '../contract/operation.ts'
import { PERMISSIONS } from '../contract/permissions.ts'
import { jsonResponse, responseHeaders } from '../contract/responses.ts'
import type { VerifiedToken } from '../platform/identity/identity.ts'

export const meRoute: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/v1/me',
    {
      config: { permission: 'member' },
      schema: {
        operationId: 'getMe',
        summary: 'Get Me',
        description:
          'Returns who the caller is for the console: user, team, name, permissions, and when the token expires.',
        ...featureOperation('Users'),
        response: {
          200: jsonResponse('The caller.', ref(Me), { headers: responseHeaders('cache-control') }),
          ...memberErrors(),
        },
      },
    },
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
