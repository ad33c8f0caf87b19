import type { IncomingHttpHeaders } from 'node:http'

/** The allowed headers that are present; repeated ones are joined. A header listed in `Connection` belongs to that
 * connection alone, even if it is allowed (RFC 9110 section 7.6.1). */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const hopByHop =
    joined(headers.connection)
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = joined(headers[name])
    if (value !== undefined && !hopByHop.includes(name)) picked[name] = value
  }
  return picked
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

/** A header that was sent several times is the list of its values (RFC 9110 section 5.2). */
function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
