import type { IncomingMessage } from 'node:http'

export interface ReceivedRequest {
  method: string
  /** The request target, not decoded or normalised. */
  target: string
  /** Alternating names and values, in the original order and case. */
  rawHeaders: string[]
  body: Buffer
}

/** Undefined if the client disconnected before the request was complete. */
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
