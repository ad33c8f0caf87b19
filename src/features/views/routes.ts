import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import {
  emptyResponse,
  featureOperation,
  jsonResponse,
  readErrors,
  writeErrors,
} from '../../api/operation.ts'
import { SavedView, SavedViewContent, SavedViewList, ViewName, ViewQuery, type Views } from './views.ts'

const VIEW = '/v1/views/:name'

const config = { permission: 'agent:read' } as const

export const viewRoutes: FastifyPluginAsyncTypebox<{ views: Views }> = async (app, { views }) => {
  app.get(
    '/v1/views',
    {
      config,
      schema: {
        operationId: 'listViews',
        summary: 'List Views',
        description:
          'Returns the saved views of the list of agents: those of the caller, then those of the team.',
        ...featureOperation('Views'),
        response: { 200: jsonResponse('The views.', ref(SavedViewList)), ...readErrors() },
      },
    },
    ({ caller }) => views.list(caller),
  )

  app.get(
    VIEW,
    {
      config,
      schema: {
        operationId: 'getView',
        summary: 'Get View',
        description: 'Returns a saved view of the caller, or of the team.',
        ...featureOperation('Views'),
        params: ViewName,
        querystring: ViewQuery,
        response: { 200: jsonResponse('The view.', ref(SavedView)), ...readErrors('view_not_found') },
      },
    },
    ({ caller, params, query }) => views.read(caller, params.name, query.scope ?? 'user'),
  )

  app.put(
    VIEW,
    {
      config,
      schema: {
        operationId: 'updateView',
        summary: 'Update View',
        description:
          'Creates or replaces a view of the caller, or of the team with `scope=team`. A user and a team have at most 100 ' +
          'views each. A change of a view of the team needs the permission `agent:write` too, and the audit log records it.',
        ...featureOperation('Views'),
        params: ViewName,
        querystring: ViewQuery,
        body: ref(SavedViewContent),
        response: {
          200: jsonResponse('The view as it is stored.', ref(SavedView)),
          ...writeErrors('too_many_views'),
        },
      },
    },
    ({ caller, params, query, body }) => views.save(caller, params.name, query.scope ?? 'user', body),
  )

  app.delete(
    VIEW,
    {
      config,
      schema: {
        operationId: 'deleteView',
        summary: 'Delete View',
        description:
          'Deletes a view of the caller, or of the team with `scope=team`, which needs the permission `agent:write` too; the audit ' +
          'log records it.',
        ...featureOperation('Views'),
        params: ViewName,
        querystring: ViewQuery,
        response: { 204: emptyResponse('The view is deleted.'), ...writeErrors('view_not_found') },
      },
    },
    async ({ caller, params, query }, reply) => {
      await views.delete(caller, params.name, query.scope ?? 'user')
      return reply.code(204).send()
    },
  )
}
