import { lines } from './client/lines.ts'
import type { Transport } from './client/transport.ts'
import type { ConsoleError } from './errors.ts'
import type { CallOptions } from './options.ts'
import { resume } from './resume.ts'
import { serverSentEvents } from './sse.ts'
import type { AgentEvent } from './types.ts'

/** The console sends a line at least every 15 seconds. */
const SILENCE_MS = 45_000

/** An interrupted stream repeats the last events only. */
const MAX_REMEMBERED = 10_000

export type WatchState = { connected: true } | { connected: false; error: ConsoleError }

export interface WatchOptions extends Omit<CallOptions, 'maxRetries'> {
  /** Only events of these agents, at most 200. Default: all agents of the team. */
  agentIds?: readonly string[] | undefined
  /** The `id` of the last event that the caller has handled. Default: new events only. */
  lastEventId?: string | undefined
  /** A connection that is silent for longer counts as lost. Default: 45,000. */
  silenceMs?: number | undefined
  /** Called when the stream is connected, and when it is interrupted. */
  onState?: ((state: WatchState) => void) | undefined
}

/** An event and its position. Keep `id`, to continue with `lastEventId` in another process. */
export interface WatchedEvent {
  id: string
  data: AgentEvent
}

/**
 * The changes of the agents, without a gap, each once. It connects again after every interruption until the signal ends
 * it. Raises `PositionExpired` if events were missed, `Unauthenticated` and `Forbidden` at once.
 */
export async function* watch(
  transport: Transport,
  { agentIds, lastEventId, silenceMs = SILENCE_MS, onState, ...call }: WatchOptions,
): AsyncGenerator<WatchedEvent, void, undefined> {
  const seen = new Set<string>()
  let position = lastEventId

  async function* open(): AsyncGenerator<WatchedEvent | undefined, void, undefined> {
    const outgoing = {
      method: 'GET',
      template: '/v1/agent-configurations/events',
      query: { agent_ids: agentIds },
      headers: { accept: 'text/event-stream', 'last-event-id': position },
      repeatable: false,
    }
    const onOpen = () => onState?.({ connected: true })
    for await (const { id, data } of serverSentEvents(
      lines(transport, outgoing, { ...call, silenceMs, onOpen }),
    )) {
      const event = data === undefined ? undefined : (JSON.parse(data) as AgentEvent)
      position = id ?? position
      yield event && position !== undefined && isNew(event) ? { id: position, data: event } : undefined
    }
  }

  const isNew = ({ id }: AgentEvent) => {
    if (seen.has(id)) return false
    seen.add(id)
    const [oldest = ''] = seen
    if (seen.size > MAX_REMEMBERED) seen.delete(oldest)
    return true
  }

  const onInterrupted = (error: ConsoleError) => onState?.({ connected: false, error })
  const options = { ...call, maxRetries: Number.POSITIVE_INFINITY, endsWithResponse: false, onInterrupted }
  for await (const event of resume(transport, open, options)) if (event) yield event
}
