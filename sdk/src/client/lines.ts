import { ConnectionFailed } from '../errors.ts'
import type { CallOptions } from '../options.ts'
import type { Deadline } from './deadline.ts'
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
    yield* split(chunks(body, deadline, silenceMs))
  } catch (error) {
    throw failure(error)
  } finally {
    deadline.end()
  }
}

async function* chunks(
  body: ReadableStream<Uint8Array> | null,
  deadline: Deadline,
  silenceMs: number,
): AsyncGenerator<string, void, undefined> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    // Runs only while this waits: a consumer may take its time with a line.
    deadline.extend(silenceMs)
    const { done, value } = await reader.read()
    deadline.pause()
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

async function* split(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const text of texts) {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') throw new ConnectionFailed('The response broke off')
}
