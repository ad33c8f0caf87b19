import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { featureOperation } from '../contract/operation.ts'
import { PERMISSION_ERRORS, problemResponses, validationResponse } from '../contract/responses.ts'
import { eventStreamResponse, LastEventId, WatchQuery } from '../contract/watch.ts'
import type { Watch } from './service.ts'

export const watchRoutes: FastifyPluginAsyncTypebox<{ watch: Watch }> = async (app, { watch }) => {
  app.get(
    '/v1/agent-configurations/events',
    {
      config: { permission: 'agent:read' },
      // A HEAD request would never end.
      exposeHeadRoute: false,
      schema: {
        operationId: 'watchAgentConfigurations',
        summary: 'Watch Agent Configurations',
        description:
          'Streams the changes of the agents of the team as server-sent events: new events only, or every event after ' +
          '`Last-Event-ID`. An event may arrive twice; the `id` inside `data` is then the same. The stream ends when the token ' +
          'expires or is revoked, or the replica shuts down. The console closes the connection of a client that does not read. In each case, ' +
          'connect again with the last position. The number of streams of a team and of a replica is limited.',
        ...featureOperation('Events'),
        querystring: WatchQuery,
        headers: LastEventId,
        response: {
          200: eventStreamResponse,
          422: validationResponse,
          ...problemResponses(
            ...PERMISSION_ERRORS,
            'position_expired',
            'events_unavailable',
            'events_not_configured',
          ),
        },
      },
    },
    async (request, reply) => {
      const { caller, query, headers } = request
      const events = await watch.open(caller, {
        agentIds: query.agent_ids,
        lastEventId: headers['last-event-id'],
        endWithToken: (end) => request.endWithToken(end),
      })
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          .header('cache-control', 'no-store')
          // Turns off response buffering in nginx.
          .header('x-accel-buffering', 'no')
          // A kept-alive connection would delay the shutdown of the replica.
          .header('connection', 'close')
          .send(events)
      )
    },
  )
}
