import { Type } from 'typebox'
import { AgentEvent } from './events.ts'
import { ref, Uuid } from './fields.ts'

/** As many as fit into the first line of a request beside a long token: Node takes 16 KiB of both. */
const MOST_AGENTS = 200

export const WatchQuery = Type.Object({
  agent_ids: Type.Optional(
    Type.Array(Uuid, { maxItems: MOST_AGENTS, description: 'Only of these agents; without it, of all' }),
  ),
})

/** A place in the stream of events, as the stream names it. */
export const LastEventId = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^[0-9a-z]{1,10}-[0-9]{1,15}$',
      description: 'The `id` of the last event that was seen: the next one is the one after it',
    }),
  ),
})

/** Not one JSON text but many: each event carries one in `data`. */
export const watchAnswer = {
  description: 'Events as they happen; `data` of each is an AgentEvent, `id` its place in the stream',
  content: {
    'text/event-stream': {
      schema: Type.Object({ id: Type.String(), data: ref(AgentEvent) }),
      examples: {},
    },
  },
}
