import type { IncomingHttpHeaders } from 'node:http'

/** The headers of an allow-list that are there, each once. A header the sender lists in `Connection` belongs
 * to that connection alone, whatever the list says (RFC 9110 section 7.6.1). */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const hopByHop =
    once(headers.connection)
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = once(headers[name])
    if (value !== undefined && !hopByHop.includes(name)) picked[name] = value
  }
  return picked
}

/** A header that was sent several times is the list of its values (RFC 9110 section 5.2). */
function once(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
