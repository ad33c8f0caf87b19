import { Type } from 'typebox'
import { AgentEvent } from './events.ts'
import { ref, Uuid } from './fields.ts'

/** The request line and the headers, with a long token, must fit into the 16 KiB that Node accepts. */
const MAX_AGENTS = 200

export const WatchQuery = Type.Object({
  agent_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: MAX_AGENTS,
      description: 'Send only events of these agents, at most 200 ids. Default: every agent of the team.',
    }),
  ),
})

/** A position in the event stream. */
export const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^[0-9a-z]{1,10}-[0-9]{1,15}-[0-9]{1,15}$',
      description:
        'The `id` of the last event that the client received. The stream continues with the event after it. Default: only ' +
        'new events.',
    }),
  ),
})

/** The body is a sequence of server-sent events; each has one JSON text in `data`. */
export const eventStreamResponse = {
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
