import { Failure } from '../failure.ts'
import type { Connection } from '../session/connection.ts'
import { asObject, errorMessage, headersOf, type Id, type Message, parse, readMessage } from './message.ts'
import { post } from './post.ts'
import { Refusal } from './refusal.ts'
import { messagesOf } from './response.ts'

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
/** Of the bridge: there is no login, no connection, or the console refused. */
const BRIDGE_ERROR = -32_000

/** More wait in the pipe, so that a host cannot fill the memory. */
const MAX_IN_FLIGHT = 32

export interface BridgeOptions {
  lines: AsyncIterable<string>
  /** Prints a message. */
  send: (line: string) => void
  /** A sentence for the user. */
  note: (text: string) => void
  connect: () => Promise<Connection>
  signal: AbortSignal
  timeoutMs: number
}

/** Passes messages between a host and the console, until the host closes its end and every request is answered. */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const { lines, send, note } = options
  const handle = createHandler(options)
  const running = new Set<Promise<void>>()
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = readMessage(line)
    if (!message) {
      const [code, text] =
        parse(line) === undefined
          ? [PARSE_ERROR, 'The line is not JSON.']
          : [INVALID_REQUEST, 'The line is not one JSON-RPC message.']
      send(errorMessage(null, code, text))
      continue
    }
    const work = handle(message).catch((error: unknown) => note(sentenceOf(error)))
    running.add(work)
    void work.then(() => running.delete(work))
    if (running.size >= MAX_IN_FLIGHT) await Promise.race(running)
  }
  await Promise.all(running)
}

function createHandler({ send, connect, signal, timeoutMs }: BridgeOptions) {
  const cancellations = new Map<Id, AbortController>()
  /** The revision that `initialize` agreed on. Clients of revision 2026-07-28 have no handshake. */
  let agreed: string | undefined
  let connection: Connection | undefined

  const exchange = async (message: Message, cancelled: AbortSignal): Promise<string[]> => {
    const current = (connection ??= await connect())
    // The next message connects again: the user may have logged in meanwhile, also in another way.
    const forget = () => {
      if (connection === current) connection = undefined
    }
    const token = await current.token().catch((error: unknown) => {
      forget()
      throw error
    })
    const posted = await post(current.url, {
      token,
      headers: headersOf(message, agreed),
      body: message.text,
      signal: AbortSignal.any([signal, cancelled]),
      timeoutMs,
    })
    if (posted.status === 401) forget()
    const messages = messagesOf(posted, message, current)
    if (message.method === 'initialize') agreed = agreedIn(messages) ?? agreed
    return messages
  }

  return async (message: Message): Promise<void> => {
    const { id, method, params } = message
    if (method === 'notifications/cancelled') {
      // Over HTTP, a client cancels a request by closing its connection.
      cancellations.get(params['requestId'] as Id)?.abort()
      return
    }
    const cancellation = new AbortController()
    if (id !== undefined) cancellations.set(id, cancellation)
    try {
      for (const line of await exchange(message, cancellation.signal)) send(line)
    } catch (error) {
      // The host does not wait for the response of a request that it has cancelled.
      if (signal.aborted || cancellation.signal.aborted) return
      if (id === undefined) throw error
      send(
        errorMessage(id, BRIDGE_ERROR, sentenceOf(error), error instanceof Refusal ? error.data : undefined),
      )
    } finally {
      if (id !== undefined) cancellations.delete(id)
    }
  }
}

function agreedIn(messages: string[]): string | undefined {
  const results = messages.map((line) => asObject(asObject(parse(line))['result']))
  const version = results.map((result) => result['protocolVersion']).find((value) => value !== undefined)
  return typeof version === 'string' ? version : undefined
}

/** A fault of this program has no sentence: its message could contain what was sent. */
const sentenceOf = (error: unknown): string =>
  error instanceof Failure ? error.message : `Unexpected: ${(error as Error).name}.`
