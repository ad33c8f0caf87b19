import type { AgentEvent } from '@agent-console/sdk'
import { nowSeconds } from '../shared/time.ts'
import { apply, applyAll, flush } from './apply.ts'
import { currentLive, setLive } from './state.ts'
import { follow } from './stream.ts'

type Message =
  | { kind: 'event'; id: string; event: AgentEvent }
  | { kind: 'state'; connected: boolean; since: number }
  | { kind: 'missed' }
  | { kind: 'hello' }
  | { kind: 'reconnect' }

let reconnectNow: () => void = () => undefined

/**
 * One stream for all tabs of the same user: browsers allow six connections to a server. One tab holds a lock and
 * leads; it tells the others. When it closes, the next one continues from the last event that it has heard of.
 */
export function startLive(who: { user_id: string; team_id: string }): void {
  const name = `agent-console-live:${who.team_id}:${who.user_id}`
  const channel = new BroadcastChannel(name)
  let position: string | undefined
  let leads = false
  let connected: boolean | undefined
  let attempt = new AbortController()

  const tell = (message: Message): void => {
    channel.postMessage(message)
    hear(message)
  }
  const tellState = (now: boolean): void => {
    if (now === connected) return
    tell({ kind: 'state', connected: now, since: nowSeconds() })
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

  async function lead(): Promise<never> {
    leads = true
    // Between the end of the last leader and now, events may have come that no tab has heard of.
    if (position === undefined && connected !== undefined) tell({ kind: 'missed' })
    for (;;) {
      attempt = new AbortController()
      await follow(position, attempt.signal, {
        onEvent: (id, event) => tell({ kind: 'event', id, event }),
        onConnected: () => tellState(true),
        onInterrupted: () => tellState(false),
        onMissed: () => tell({ kind: 'missed' }),
      })
      if (!attempt.signal.aborted) await new Promise(() => undefined)
    }
  }

  reconnectNow = () => {
    if (leads) attempt.abort()
    else channel.postMessage({ kind: 'reconnect' } satisfies Message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(data))
  channel.postMessage({ kind: 'hello' } satisfies Message)
  // Without a secure connection there are no locks: each tab then has a stream of its own.
  if ('locks' in navigator) void navigator.locks.request(name, lead)
  else void lead()
}

function showState({ connected, since }: { connected: boolean; since: number }): void {
  if (currentLive().state === 'paused') return
  setLive(connected ? { state: 'live', since: undefined } : { state: 'down', since })
}

export function reconnect(): void {
  reconnectNow()
}

/** Holds changes back in this tab, so that what is read does not change. */
export function pauseLive(): void {
  setLive({ state: 'paused', since: nowSeconds() })
}

export function resumeLive(): void {
  setLive({ state: 'live', since: undefined })
  flush()
}
