import { randomUUID } from 'node:crypto'
import { CHECK_ADDRESS, Failure } from '../failure.ts'
import { VERSION } from '../version.ts'

export interface Posted {
  status: number
  headers: Headers
  text: string
  requestId: string
}

export interface PostOptions {
  token: string
  headers: Record<string, string>
  body: string
  /** Ends the request. */
  signal: AbortSignal
  timeoutMs: number
}

/** Sends a message to the console at `url` and reads the whole response. */
export async function post(
  url: string,
  { token, headers: more, body, signal, timeoutMs }: PostOptions,
): Promise<Posted> {
  const requestId = randomUUID()
  try {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'user-agent': `agent-console-cli/${VERSION}`,
        'x-request-id': requestId,
        ...more,
        authorization: `Bearer ${token}`,
      },
      // A redirect would send the token to another address.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { status, headers } = response
    const text = await response.text()
    return { status, headers, text, requestId: headers.get('x-request-id') ?? requestId }
  } catch (error) {
    signal.throwIfAborted()
    if ((error as Error).name === 'TimeoutError') {
      throw new Failure(`${url} did not answer in time. A longer --timeout may help. Request ${requestId}`)
    }
    // Not the message of fetch, which could contain a header.
    const { code } = Object((error as Error).cause) as { code?: unknown }
    const reason = typeof code === 'string' ? code : 'no connection'
    throw new Failure(`${url} cannot be reached: ${reason}. ${CHECK_ADDRESS} Request ${requestId}`)
  }
}
