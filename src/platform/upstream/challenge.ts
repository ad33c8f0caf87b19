const AUTH_PARAM = '[\\w-]+=(?:"[^"]*"|[^\\s",]+)'
const BEARER = new RegExp(`^Bearer(?: +${AUTH_PARAM}(?: *, *${AUTH_PARAM})*)?$`, 'i')

/** A client can only send a bearer token through the console, so no other challenge passes: `Basic` would make a browser
 * ask for a password, and `resource_metadata` sends a client to a server where it gets its tokens (RFC 9728). A 401 always has a challenge (RFC 9110 section 15.5.2). */
export function checkChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  const { 'www-authenticate': challenge, ...others } = headers
  if (challenge !== undefined && BEARER.test(challenge) && !/resource_metadata/i.test(challenge))
    return headers
  return status === 401 ? { ...others, 'www-authenticate': 'Bearer' } : others
}
