import { type AgentEvent, Forbidden, PositionExpired } from '@agent-console/sdk'
import { api } from '../api/client.ts'
import { SessionEnded } from '../auth/errors.ts'

export interface StreamHandlers {
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
export async function follow(
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
