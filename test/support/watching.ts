import type { AgentEvent } from '../../src/api/events.ts'
import { until } from './until.ts'

/** One event, with its place in the stream. */
export interface Seen {
  id: string
  event: AgentEvent
  /** By `performance.now()`. */
  seenAt: number
}

export interface Watching {
  status: number
  headers: Headers
  /** The body of an answer that is no stream. */
  body: unknown
  seen: Seen[]
  /** The newest position, which may be that of a heartbeat. */
  position: () => string | undefined
  /** Heart-beats and other comments. */
  comments: string[]
  /** Resolves when the server has ended the answer, or cut it off. */
  ended: Promise<'ended' | 'cut_off'>
  waitFor: (count: number) => Promise<void>
  stop: () => void
}

export interface WatchRequest {
  token: string
  lastEventId?: string | undefined
  agentIds?: string[]
}

/** Reads server-sent events as a browser would. */
export async function watch(url: string, request: WatchRequest): Promise<Watching> {
  const leaving = new AbortController()
  const query = (request.agentIds ?? []).map((id) => `agent_ids=${id}`).join('&')
  const response = await fetch(`${url}/v1/agent-configurations/events?${query}`, {
    headers: {
      authorization: `Bearer ${request.token}`,
      ...(request.lastEventId ? { 'last-event-id': request.lastEventId } : {}),
    },
    signal: leaving.signal,
  })
  const seen: Seen[] = []
  const comments: string[] = []
  let position: string | undefined
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false

  const read = async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) accept(frame)
    }
  }
  const accept = (frame: string) => {
    const lines = frame.split('\n')
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const [id, data, comment] = [field('id'), field('data'), field('')]
    position = id ?? position
    if (comment !== undefined) comments.push(comment)
    if (data === undefined) return
    seen.push({ id: id ?? '', event: JSON.parse(data) as AgentEvent, seenAt: performance.now() })
  }

  return {
    status: response.status,
    headers: response.headers,
    body: isStream ? undefined : await response.json(),
    seen,
    position: () => position,
    comments,
    ended: isStream
      ? read().then(
          () => 'ended' as const,
          () => 'cut_off' as const,
        )
      : Promise.resolve('ended'),
    waitFor: (count) => until(`${count} events arrive`, () => seen.length >= count),
    stop: () => leaving.abort(),
  }
}

/** Waits until a console that has just started has found the stream. */
export function canBeWatched(url: string, token: string): Promise<void> {
  return until('the stream is read', async () => {
    const { status, stop } = await watch(url, { token })
    stop()
    return status === 200
  })
}
