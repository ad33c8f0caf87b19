import type { Transport } from './client/transport.ts'
import { ConnectionFailed, ConsoleError } from './errors.ts'
import type { CallOptions } from './options.ts'
import { delayMs, isPassing, sleep } from './retry.ts'

export interface ResumeOptions extends CallOptions {
  /** A finished response is the end. Otherwise it is opened again. */
  endsWithResponse: boolean
  onInterrupted?: ((error: ConsoleError) => void) | undefined
}

/**
 * Opens a stream again after it was interrupted, at most `maxRetries` times without a new item. `open` continues after
 * the last item.
 */
export async function* resume<T>(
  transport: Transport,
  open: () => AsyncIterable<T>,
  { maxRetries, signal, endsWithResponse, onInterrupted }: ResumeOptions & { maxRetries: number },
): AsyncGenerator<T, void, undefined> {
  for (let attempt = 0; ; attempt++) {
    let failure: ConsoleError = new ConnectionFailed('The stream ended')
    try {
      for await (const item of open()) {
        attempt = 0
        yield item
      }
      if (endsWithResponse) return
    } catch (error) {
      if (!(error instanceof ConsoleError) || attempt >= maxRetries || !isPassing(error)) throw error
      failure = error
    }
    onInterrupted?.(failure)
    await sleep(delayMs(failure, attempt, transport.retryDelayMs), signal)
  }
}
