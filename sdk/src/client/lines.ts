import { ConnectionFailed } from '../errors.ts'
import type { CallOptions } from '../options.ts'
import type { Outgoing, Transport } from './transport.ts'

export interface LinesOptions extends CallOptions {
  /** A connection that is silent for longer counts as lost. */
  silenceMs: number
  onOpen?: (() => void) | undefined
}

/** The complete lines of a response, as they arrive. The time limit of the call holds until its head has arrived. */
export async function* lines(
  transport: Transport,
  outgoing: Outgoing,
  options: LinesOptions,
): AsyncGenerator<string, void, undefined> {
  const { silenceMs, onOpen, ...call } = options
  const [body, { deadline, failure }] = await transport.send(outgoing, call, async (response, current) => {
    current.deadline.pause()
    return [response.body, current] as const
  })
  try {
    onOpen?.()
    const reader = body?.getReader()
    const decoder = new TextDecoder()
    for (let rest = '', isDone = !reader; !isDone; ) {
      // Runs only while this waits: a consumer may take its time with a line.
      deadline.extend(silenceMs)
      const chunk = await reader?.read()
      deadline.pause()
      isDone = !chunk || chunk.done
      const parts = (rest + decoder.decode(chunk?.value, { stream: !isDone })).split(/\r?\n/)
      rest = parts.pop() ?? ''
      yield* parts
      if (isDone && rest !== '') throw new ConnectionFailed('The response broke off')
    }
  } catch (error) {
    throw failure(error)
  } finally {
    deadline.end()
  }
}
