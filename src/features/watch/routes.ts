import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AgentEvent } from '../../api/events.ts'
import { ref, Uuid } from '../../api/fields.ts'
import { operation, PERMISSION_ERRORS, problemResponses, validationResponse } from '../../api/operation.ts'
import type { Watch } from './watch.ts'

/** The request line and the headers, with a long token, must fit into the 16 KiB that Node accepts. */
const MAX_AGENTS = 200

const WatchQuery = Type.Object({
  agent_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: MAX_AGENTS,
      description: 'Send only events of these agents, at most 200 ids. Default: every agent of the team.',
    }),
  ),
})

/** A position in the event stream. */
const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^[0-9a-z]{1,10}-[0-9]{1,15}-[0-9]{1,15}$',
      description:
        'The `id` of the last event that the client received. The stream continues with the event after it. Default: ' +
        'only new events.',
    }),
  ),
})

/** The body is a sequence of server-sent events; each has one JSON text in `data`. */
const eventStreamResponse = {
  description: 'Server-sent events, one for each change.',
  content: {
    'text/event-stream': {
      schema: Type.Object({
        id: Type.String({
          description: 'Position of the event in the stream. Send it as `Last-Event-ID` to resume.',
        }),
        data: ref(AgentEvent, { description: 'The event.' }),
      }),
      examples: {},
    },
  },
}

export const watchRoutes: FastifyPluginAsyncTypebox<{ watch: Watch }> = async (app, { watch }) => {
  app.get(
    '/v1/agent-configurations/events',
    {
      ...operation('Events', 'agent:read', {
        operationId: 'watchAgentConfigurations',
        summary: 'Watch Agent Configurations',
        description:
          'Streams the changes of the agents of the team as server-sent events: new events only, or every event ' +
          'after `Last-Event-ID`. An event may arrive twice; the `id` inside `data` is then the same. The stream ' +
          'ends when the token expires or is revoked, or the replica shuts down. The console closes the connection ' +
          'of a client that does not read. In each case, connect again with the last position. The number of streams ' +
          'of a team and of a replica is limited.',
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
      }),
      // A HEAD request would never end.
      exposeHeadRoute: false,
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
