import type { IncomingHttpHeaders } from 'node:http'

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}
