import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { emptyResponse, jsonResponse, operation, readErrors, writeErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import {
  deleteView,
  listViews,
  readView,
  SavedView,
  SavedViewContent,
  SavedViewList,
  saveView,
  ViewName,
  ViewQuery,
} from './views.ts'

const VIEW = '/v1/views/:name'

export const viewRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/v1/views',
    operation('Views', 'agent:read', {
      operationId: 'listViews',
      summary: 'List Views',
      description:
        'Returns the saved views of the list of agents: those of the caller, then those of the team.',
      response: { 200: jsonResponse('The views.', ref(SavedViewList)), ...readErrors() },
    }),
    ({ caller }) => listViews(core, caller),
  )

  app.get(
    VIEW,
    operation('Views', 'agent:read', {
      operationId: 'getView',
      summary: 'Get View',
      description: 'Returns a saved view of the caller, or of the team.',
      params: ViewName,
      querystring: ViewQuery,
      response: { 200: jsonResponse('The view.', ref(SavedView)), ...readErrors('view_not_found') },
    }),
    ({ caller, params, query }) => readView(core, caller, { ...params, ...query }),
  )

  app.put(
    VIEW,
    operation('Views', 'agent:read', {
      operationId: 'updateView',
      summary: 'Update View',
      description:
        'Creates or replaces a view of the caller, or of the team with `scope=team`. A user and a team have at most ' +
        '100 views each. To change a view of the team, a token needs `agent:write` too; the audit log records it.',
      params: ViewName,
      querystring: ViewQuery,
      body: ref(SavedViewContent),
      response: {
        200: jsonResponse('The view as it is stored.', ref(SavedView)),
        ...writeErrors('too_many_views'),
      },
    }),
    ({ caller, params, query, body }) => saveView(core, caller, { ...params, ...query }, body),
  )

  app.delete(
    VIEW,
    operation('Views', 'agent:read', {
      operationId: 'deleteView',
      summary: 'Delete View',
      description:
        'Deletes a view of the caller, or of the team with `scope=team`: for this a token needs `agent:write` ' +
        'too, and the audit log records it.',
      params: ViewName,
      querystring: ViewQuery,
      response: { 204: emptyResponse('The view is deleted.'), ...writeErrors('view_not_found') },
    }),
    async ({ caller, params, query }, reply) => {
      await deleteView(core, caller, { ...params, ...query })
      return reply.code(204).send()
    },
  )
}
