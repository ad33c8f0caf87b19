/** What may pass either way whatever an operation declares. Everything else stays where it is. */

const REQUEST = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'content-range',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'range',
  'traceparent',
  'tracestate',
]

const ANSWER = [
  'accept-ranges',
  'cache-control',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'vary',
  'www-authenticate',
]

/** Nobody gets these passed by declaring them: they belong to one connection, say who somebody is, or are the console's
 * own. */
const NEVER = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'date',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'server',
  'set-cookie',
  'set-cookie2',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'x-real-ip',
  'x-request-id',
])
const NEVER_PREFIX = /^(?:x-forwarded-|proxy-|sec-)/
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

export const requestNames = (declared: readonly string[]) => [...new Set([...REQUEST, ...passable(declared)])]
export const answerNames = (declared: readonly string[]) => [...new Set([...ANSWER, ...passable(declared)])]

function passable(declared: readonly string[]): string[] {
  return declared.filter((name) => NAME.test(name) && !NEVER.has(name) && !NEVER_PREFIX.test(name))
}
