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

const AUTH_PARAM = '[\\w-]+=(?:"[^"]*"|[^\\s",]+)'
const BEARER = new RegExp(`^Bearer(?: +${AUTH_PARAM}(?: *, *${AUTH_PARAM})*)?$`, 'i')

/** A client can only send a bearer token through the console, so no other challenge passes: `Basic` would make a browser
 * ask for a password, and `resource_metadata` sends a client to a server where it gets its tokens (RFC 9728). A 401 always has a
 * challenge (RFC 9110 section 15.5.2). */
export function checkChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  const { 'www-authenticate': challenge, ...others } = headers
  if (challenge !== undefined && BEARER.test(challenge) && !/resource_metadata/i.test(challenge))
    return headers
  return status === 401 ? { ...others, 'www-authenticate': 'Bearer' } : others
}
