import { type AgentEvent, Forbidden, PositionExpired } from '@agent-console/sdk'
import { api } from '../api/client.ts'

export interface StreamHandlers {
  onEvent: (id: string, event: AgentEvent) => void
  onConnected: () => void
  onInterrupted: () => void
  /** Events were missed. */
  onMissed: () => void
}

/** After an error that the client does not retry, such as a sign-in that has ended. */
const PAUSE_MS = 15_000

/** Follows the changes until the signal ends it. `position` is the last event that was handled. */
export async function follow(
  position: string | undefined,
  signal: AbortSignal,
  handlers: StreamHandlers,
): Promise<void> {
  let lastEventId = position
  while (!signal.aborted) {
    try {
      const onState = ({ connected }: { connected: boolean }): void =>
        connected ? handlers.onConnected() : handlers.onInterrupted()
      for await (const { id, data } of api().agents.watch({ lastEventId, signal, onState })) {
        lastEventId = id
        handlers.onEvent(id, data)
      }
    } catch (error) {
      if (signal.aborted) return
      handlers.onInterrupted()
      if (error instanceof Forbidden) return
      if (error instanceof PositionExpired) {
        lastEventId = undefined
        handlers.onMissed()
      } else await pause(signal)
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
