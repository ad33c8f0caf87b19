import type { IncomingMessage } from 'node:http'

/** A request as it was on the wire. */
export interface ReceivedRequest {
  method: string
  /** The request-target: nothing in it is decoded or normalised. */
  target: string
  /** Names and values by turns, in their order and spelling. */
  rawHeaders: string[]
  body: Buffer
}

/** Undefined when the sender left before the request was complete: there is nobody to answer. */
export async function receive(request: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  const { method = '', url: target = '', rawHeaders } = request
  return { method, target, rawHeaders, body: Buffer.concat(chunks) }
}
