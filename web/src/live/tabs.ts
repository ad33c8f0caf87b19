import { type AgentEvent, Forbidden, PositionExpired } from '@agent-console/sdk'
import { api } from '../api/client.ts'
import { SessionEnded } from '../auth/session.ts'
import { nowSeconds } from '../shared/format.ts'
import { apply, applyAll, currentLive, flush, type Live, setLive } from './state.ts'

type Message =
  | { kind: 'event'; id: string; event: AgentEvent }
  | { kind: 'state'; connected: boolean; since: number }
  | { kind: 'missed' }
  | { kind: 'hello' }
  | { kind: 'reconnect' }

let reconnectNow: () => void = () => undefined
let rejoinNow: () => void = () => undefined
/** What the stream said last. A paused tab shows it when it is resumed. */
let streamState: Pick<Live, 'state' | 'since'> = { state: 'connecting' }

/**
 * One stream for all tabs of the same user: browsers allow six connections to a server. One tab holds a lock and
 * leads; it tells the others. When it closes or its sign-in ends, the next one continues from the last event that it
 * has heard of.
 */
export function startLive(who: { user_id: string; team_id: string }): void {
  const name = `agent-console-live:${who.team_id}:${who.user_id}`
  const channel = new BroadcastChannel(name)
  let position: string | undefined
  let leads = false
  let isQueued = false
  let connected: boolean | undefined
  let attempt = new AbortController()

  const tell = (message: Message): void => {
    channel.postMessage(message)
    hear(message)
  }

  function hear(message: Message): void {
    if (message.kind === 'event') {
      position = message.id
      apply(message.event)
    } else if (message.kind === 'state') {
      connected = message.connected
      showState(message)
    } else if (message.kind === 'missed') {
      position = undefined
      applyAll()
    } else if (message.kind === 'hello' && leads && connected !== undefined) {
      channel.postMessage({ kind: 'state', connected, since: nowSeconds() } satisfies Message)
    } else if (message.kind === 'reconnect' && leads) attempt.abort()
  }

  function onConnected(isContinued: boolean): void {
    const missed: Message = { kind: 'missed' }
    // The very first stream begins when the page has just been loaded. Before a later one, events may have come; tabs
    // whose sign-in had ended had none.
    if (!isContinued && connected === undefined) channel.postMessage(missed)
    else if (!isContinued) tell(missed)
    // Also if the last leader was connected: a tab that has opened since knows nothing.
    tell({ kind: 'state', connected: true, since: nowSeconds() })
  }

  function onInterrupted(): void {
    if (connected !== false) tell({ kind: 'state', connected: false, since: nowSeconds() })
  }

  /** Ends when this tab may follow no longer. */
  async function lead(): Promise<void> {
    leads = true
    do {
      attempt = new AbortController()
      await follow(position, attempt.signal, {
        onEvent: (id, event) => tell({ kind: 'event', id, event }),
        onConnected,
        onInterrupted,
      })
    } while (attempt.signal.aborted)
    leads = false
  }

  async function queue(): Promise<void> {
    isQueued = true
    // Without a secure connection there are no locks: each tab then has a stream of its own.
    await ('locks' in navigator ? navigator.locks.request(name, lead) : lead())
    isQueued = false
  }

  reconnectNow = () => {
    if (leads) attempt.abort()
    else channel.postMessage({ kind: 'reconnect' } satisfies Message)
    rejoinNow()
  }
  rejoinNow = () => {
    if (!isQueued) void queue()
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(data))
  channel.postMessage({ kind: 'hello' } satisfies Message)
  void queue()
}

function showState({ connected, since }: { connected: boolean; since: number }): void {
  streamState = connected ? { state: 'live', since: undefined } : { state: 'down', since }
  if (currentLive().state !== 'paused') setLive(streamState)
}

export function reconnect(): void {
  reconnectNow()
}

/** A sign-in that had ended was renewed after all. */
export function rejoin(): void {
  rejoinNow()
}

/** Holds changes back in this tab, so that what is read does not change. */
export function pauseLive(): void {
  setLive({ state: 'paused', since: nowSeconds() })
}

export function resumeLive(): void {
  setLive(streamState)
  flush()
}

interface StreamHandlers {
  onEvent: (id: string, event: AgentEvent) => void
  /** `isContinued`: the stream goes on where it was. Otherwise it begins with the present. */
  onConnected: (isContinued: boolean) => void
  onInterrupted: () => void
}

/** After an error that the client does not retry. */
const PAUSE_MS = 15_000

/**
 * Follows the changes until the signal ends it, or until this tab may follow no longer. `position` is the last event
 * that was handled.
 */
async function follow(
  position: string | undefined,
  signal: AbortSignal,
  handlers: StreamHandlers,
): Promise<void> {
  let lastEventId = position
  while (!signal.aborted) {
    // After its first connection, the client knows its position also without an event.
    let isContinued = lastEventId !== undefined
    try {
      const onState = ({ connected }: { connected: boolean }): void => {
        if (!connected) return handlers.onInterrupted()
        handlers.onConnected(isContinued)
        isContinued = true
      }
      for await (const { id, data } of api().agents.watch({ lastEventId, signal, onState })) {
        lastEventId = id
        handlers.onEvent(id, data)
      }
    } catch (error) {
      if (signal.aborted) return
      handlers.onInterrupted()
      if (error instanceof Forbidden || error instanceof SessionEnded) return
      if (error instanceof PositionExpired) lastEventId = undefined
      else await pause(signal)
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
