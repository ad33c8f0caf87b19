import type { Connection } from '../session/connection.ts'
import { asObject, errorMessage, type Id, type Message, parse } from './message.ts'
import type { Posted } from './post.ts'
import { Refusal } from './refusal.ts'

/** The messages of a response, one line each. Throws if the response has no message for the request. */
export function messagesOf(posted: Posted, { id }: Message, connection: Connection): string[] {
  const texts = isEventStream(posted) ? eventsOf(posted.text) : [posted.text]
  const messages = texts.map((text) => toLine(text, id)).filter((line) => line !== undefined)
  const isAnswered = id === undefined ? posted.status < 300 : messages.some((line) => idOf(line) === id)
  if (!isAnswered) throw new Refusal(posted, connection)
  return messages
}

const isEventStream = ({ headers }: Posted) =>
  (headers.get('content-type') ?? '').startsWith('text/event-stream')

/** The data of each event of a stream that has ended. */
function eventsOf(text: string): string[] {
  return text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length))
      .join('\n'),
  )
}

/** A message on one line, as it came. Undefined for what is no message: standard output has nothing else. */
function toLine(text: string, asked: Id | undefined): string | undefined {
  const { jsonrpc, id, error } = asObject(parse(text))
  if (jsonrpc !== '2.0') return undefined
  if (error !== undefined && id === null && asked !== undefined) {
    // An error before the console has read the id. The host waits for a response with its own.
    const { code, message } = asObject(error)
    return errorMessage(asked, Number(code), String(message))
  }
  // Between the tokens only: inside a text, JSON escapes them.
  return text.trim().replace(/[\r\n]+/g, ' ')
}

const idOf = (line: string) => asObject(parse(line))['id']
