import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'

/** The entity tag of an agent is its revision. */
export function toETag(revision: number): string {
  return `"${revision}"`
}

/** An entity tag (RFC 9110 section 8.8.3), or a revision without its quotes. */
const TAG = '(?:(?:W/)?"[!#-~\\u0080-\\u00ff]*"|[1-9][0-9]{0,14})'

/** `*`, or a list of tags, which may have empty elements (RFC 9110 sections 13.1.1 and 5.6.1). */
export const ETAGS_PATTERN = `^(?:\\*|[ \\t,]*${TAG}(?:[ \\t]*,[ \\t,]*${TAG})*[ \\t,]*)$`

const TAGS = new RegExp(TAG, 'g')

/** The tags of a header that matches ETAGS_PATTERN, each with its quotes; null for any tag. */
function parseETags(header: string): string[] | null {
  if (header === '*') return null
  return (header.match(TAGS) ?? []).map((tag) => (/^\d/.test(tag) ? `"${tag}"` : tag))
}

/** The revisions that `If-Match` accepts, or null when it accepts any. A weak tag, or a tag that is not a revision,
 * matches nothing (RFC 9110 section 13.1.1). */
export function revisionsToMatch(ifMatch: string | undefined): number[] | null {
  const tags = ifMatch === undefined ? null : parseETags(ifMatch)
  return tags && tags.flatMap((tag) => /^"([1-9]\d{0,14})"$/.exec(tag)?.[1] ?? []).map(Number)
}

/** Whether `If-None-Match` names this revision: then the client has it already (section 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, revision: number): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = parseETags(ifNoneMatch)
  return tags === null || tags.some((tag) => tag.replace(/^W\//, '') === toETag(revision))
}

const etags = (description: string) => Type.Optional(Type.String({ pattern: ETAGS_PATTERN, description }))

/** Request headers that make an operation conditional. */
export const IfMatch = Type.Object({
  'if-match': etags(
    'ETag of the revision that the client read, such as `"7"`, with or without the quotes; or a comma-separated ' +
      'list, or `*` for any revision. If the agent is at another revision, the operation changes nothing and returns ' +
      '412. Default: any revision.',
  ),
})
export const IfNoneMatch = Type.Object({
  'if-none-match': etags(
    'ETag of the revision that the client has, such as `"7"`, with or without the quotes; or a comma-separated list, ' +
      'or `*` for any revision. If the agent is at this revision, the operation returns 304 without a body. Default: ' +
      'always return the agent.',
  ),
})

/** Many clients accept at most 16 KB of response headers in total. */
const MAX_LENGTH = 4_000

/** The value of a response header that lists percent-encoded texts. A list that is too long ends with `...`. Undefined
 * if there are no texts. */
export function headerList(encoded: Iterable<string>): string | undefined {
  let header: string | undefined
  for (const text of encoded) {
    const longer = header === undefined ? text : `${header}, ${text}`
    if (longer.length + 2 > MAX_LENGTH) return header === undefined ? '...' : `${header}, ...`
    header = longer
  }
  return header
}

/** The names of the members of a body that the schema does not have. The client chose them, so they are encoded. */
export function ignoredFields(body: object, schema: { properties: object }): string | undefined {
  const names = Object.keys(body).filter((name) => !Object.hasOwn(schema.properties, name))
  return headerList(
    names.values().map((name) => encodeURIComponent(name.slice(0, MAX_LENGTH).toWellFormed())),
  )
}

export const REASON_HEADER = 'console-change-reason'

export const MAX_REASON_LENGTH = 500

/** The header of every operation of the console that changes something. `src/http/request.ts` reads it. */
export const ChangeReasonHeader = Type.Optional(
  Type.String({
    description:
      'Why the caller makes the change, in UTF-8 or percent-encoded; write `%` as `%25`. At most 500 characters ' +
      'after decoding. Control characters, and what looks like a credential, get 422. The revision, the event and ' +
      'the audit log show it. Default: no reason.',
  }),
)

export const TEAM_HEADER = 'console-team'

/** The header of every operation that needs a team. `src/http/auth/authenticate.ts` reads it. */
export const TeamHeader = Type.Optional(
  Type.String({
    description:
      'The team that the request acts for: its UUID, or a value of the team claim of the token. Needed only if the ' +
      'token has several teams.',
  }),
)

/** The allowed headers that are present; repeated ones are joined. A header listed in `Connection` belongs to that
 * connection alone, even if it is allowed (RFC 9110 section 7.6.1). */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const hopByHop = joined(headers.connection)
    ?.toLowerCase()
    .split(/\s*,\s*/)
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = joined(headers[name])
    if (value !== undefined && !hopByHop?.includes(name)) picked[name] = value
  }
  return picked
}

/** A header that was sent several times is the list of its values (RFC 9110 section 5.2). */
function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

const AUTH_PARAM = '[\\w-]+=(?:"[^"]*"|[^\\s",]+)'
const BEARER = new RegExp(`^Bearer(?: +${AUTH_PARAM}(?: *, *${AUTH_PARAM})*)?$`, 'i')

/** A client can only send a bearer token through the console, so no other challenge passes: `Basic` would make a
 * browser ask for a password, and `resource_metadata` sends a client to a server where it gets its tokens (RFC 9728).
 * A 401 always has a challenge (RFC 9110 section 15.5.2). */
export function checkChallenge(status: number, headers: Record<string, string>): Record<string, string> {
  const { 'www-authenticate': challenge, ...others } = headers
  if (challenge !== undefined && BEARER.test(challenge) && !/resource_metadata/i.test(challenge))
    return headers
  return status === 401 ? { ...others, 'www-authenticate': 'Bearer' } : others
}
