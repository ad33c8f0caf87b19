import type { ServerResponse } from 'node:http'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** In the form of the evolution service. The console forwards the body unchanged, so its client reads this text. */
export function refusal(status: number, detail: unknown, headers?: Record<string, string>): Answer {
  return json(status, { detail }, headers)
}

export const NO_CONTENT: Answer = { status: 204, headers: {}, body: Buffer.alloc(0) }

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  // A 204 must not have a Content-Length (RFC 9110 section 8.6).
  const length = status === 204 ? {} : { 'content-length': String(body.length) }
  response.writeHead(status, { ...length, ...headers }).end(body)
}
