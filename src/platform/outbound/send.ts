import { type Dispatcher, fetch, type Headers, type RequestInit } from 'undici'

export interface SendOptions extends Pick<RequestInit, 'method' | 'body'> {
  headers?: Record<string, string>
  maxBytes: number
  signal: AbortSignal
  dispatcher: Dispatcher
}

export interface Received {
  status: number
  headers: Headers
  /** Undefined if it is larger than allowed. Empty for a redirect. */
  body: Buffer | undefined
}

/** One request, without redirects. Rejects with the error of `fetch`. */
export async function send(
  url: string | URL,
  { maxBytes, headers: own, ...options }: SendOptions,
): Promise<Received> {
  const headers = { ...own, 'accept-encoding': 'identity', 'user-agent': 'agent-console' }
  const response = await fetch(url, { ...options, headers, redirect: 'manual' })
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    return { status, headers: response.headers, body: Buffer.alloc(0) }
  }
  return { status, headers: response.headers, body: await readBody(response.body ?? [], maxBytes) }
}

const REDIRECTS = [301, 302, 303, 307, 308]

/** Where a redirect leads, or null if the response is none. */
export function redirectOf({ status, headers }: Received): string | null {
  return REDIRECTS.includes(status) ? headers.get('location') : null
}

/** A server may compress although it was asked not to: the limit is for the decompressed body. */
async function readBody(body: AsyncIterable<Uint8Array> | [], maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop cancels the rest.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
