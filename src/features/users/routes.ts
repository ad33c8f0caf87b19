import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { emptyResponse, jsonResponse, operation, readErrors, writeErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { eraseUserName, listUsers, UserId, UserList, UserListQuery } from './users.ts'

export const userRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/v1/users',
    operation('Users', 'agent:read', {
      operationId: 'listUsers',
      summary: 'List Users',
      description:
        'Returns the display names of users. The console takes a name from the token of a request that leaves a ' +
        'record in the audit log, and stores it within a second. To pass several ids, repeat the parameter: ' +
        '`ids=…&ids=…`.',
      querystring: UserListQuery,
      response: {
        200: jsonResponse('The users whose names the console has.', ref(UserList)),
        ...readErrors(),
      },
    }),
    ({ caller, query }) => listUsers(core, caller, query.ids),
  )

  app.delete(
    '/v1/users/:user_id',
    operation('Users', 'agent:delete', {
      operationId: 'eraseUserName',
      summary: 'Erase User Name',
      description:
        'Erases the display name of a user of the team. Revisions and the audit log keep the id of the user and no ' +
        'longer show a name, and the audit log records who erased it. The console stores the name again if the user ' +
        'acts again, at the latest an hour later.',
      params: UserId,
      response: {
        204: emptyResponse('The name is erased.'),
        ...writeErrors('user_not_found'),
      },
    }),
    async (request, reply) => {
      const { caller, params } = request
      await eraseUserName(core, caller, params.user_id)
      // The request must not store again what it has erased.
      if (caller.userId === params.user_id) request.caller = { ...caller, name: null }
      return reply.code(204).send()
    },
  )
}
