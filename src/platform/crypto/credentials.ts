/** Texts that look like credentials. Every check takes time linear in the length of the text: an expression begins only
 * where a word begins, and repeats a class either a fixed number of times or up to a character that the class does not
 * contain. */

const WORD = '[0-9A-Za-z]'

/** Credentials that begin with a prefix of their own. */
const PREFIXED = new RegExp(
  `(?<![\\w-])(?:${[
    String.raw`sk-(?=[\w-]{0,40}\d)[\w-]{16}`,
    `[rs]k_(?:live|test)_${WORD}{16}`,
    `gh[oprsu]_${WORD}{20}`,
    String.raw`github_pat_\w{20}`,
    String.raw`glpat-[\w-]{16}`,
    'A(?:KI|SI)A[0-9A-Z]{16}',
    'xox[a-z]-[0-9A-Za-z-]{10}',
    String.raw`AIza[\w-]{35}`,
    `npm_${WORD}{30}`,
    `hf_${WORD}{20}`,
    // A JSON Web Token: two JSON objects in base64url.
    String.raw`eyJ[\w-]{8,2000}\.eyJ[\w-]{8}`,
  ].join('|')})`,
)
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY/
const URL_WITH_PASSWORD = /:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,256}@/

/** The shortest text that PREFIXED matches. */
const MIN_LENGTH = 15

export function containsCredential(text: string): boolean {
  if (text.length < MIN_LENGTH) return false
  return (
    PREFIXED.test(text) ||
    (text.includes('-----BEGIN ') && PRIVATE_KEY.test(text)) ||
    (text.includes('@') && URL_WITH_PASSWORD.test(text))
  )
}

const HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie'])
const HEADER_ENDS = ['api-key', 'apikey', 'auth-token', 'access-token', 'subscription-key']

/** Whether an HTTP header of this name carries a credential. */
export function isCredentialHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return HEADERS.has(lower) || HEADER_ENDS.some((end) => lower.endsWith(end))
}

const NAME_ENDS = ['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'key', 'credential']
const MIN_RANDOM_LENGTH = 12
const MIN_BITS_PER_CHARACTER = 3
/** Enough to tell. */
const MAX_COUNTED = 128

/** Whether a member of this name holds what is probably random, and not an ordinary word. */
export function isRandomSecret(name: string, text: string): boolean {
  if (text.length < MIN_RANDOM_LENGTH) return false
  const singular = name.toLowerCase().replace(/s$/, '')
  if (!NAME_ENDS.some((end) => singular.endsWith(end)) || singular.includes('public')) return false
  const start = text.slice(0, MAX_COUNTED)
  return !/\s/.test(start) && bitsPerCharacter(start) >= MIN_BITS_PER_CHARACTER
}

const N_LOG_N = Array.from({ length: MAX_COUNTED + 1 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)))
/** Reused, because a body can hold tens of thousands of such texts. All zero between two calls. */
const counts = new Uint8Array(256)

/** The Shannon entropy of a text of at most MAX_COUNTED characters: log n - (sum of c log c) / n, for n characters of
 * which each occurs c times. */
function bitsPerCharacter(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) & 255
    const count = counts[code] as number
    counts[code] = count + 1
    sum += (N_LOG_N[count + 1] as number) - (N_LOG_N[count] as number)
  }
  for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i) & 255] = 0
  return Math.log2(text.length) - sum / text.length
}

/** Whether a text stands for a value that is inserted elsewhere, or is a mask: `${TOKEN}`, `Bearer {{token}}`,
 * `<token>`. */
export function isPlaceholder(text: string): boolean {
  return /^[*<$%]|\$\{|\{\{/.test(text)
}

/** Schemes whose texts may contain an `@` that follows no user name or password. */
const WITHOUT_HOST = new Set(['mailto', 'urn', 'did', 'acct', 'pkg', 'npm', 'data'])
/** The user name of an SSH URL, usually `git`, is no credential. */
const SSH = new Set(['ssh', 'git+ssh', 'ssh+git'])
const SCP_ADDRESS = /^[^:@/]+@[^:@/]+:/

/** Whether a URL contains a user name or a password: `https://user:password@host`. Browsers ignore spaces and control
 * characters and take `\\` for `/`; other programs do not, so that both readings count. */
export function hasUserInfo(text: string): boolean {
  if (!text.includes('@')) return false
  // oxlint-disable-next-line no-control-regex -- the characters that browsers ignore
  const url = text.replaceAll(/[\0- ]/g, '')
  return [url, url.replaceAll('\\', '/')].some(hasPlainUserInfo)
}

/** The schemes before that of the address: `jdbc:postgresql://host`. */
const OUTER_SCHEMES = /^(?:[a-z][a-z\d+.-]*:)+(?=[a-z][a-z\d+.-]*:\/\/)/i
const HOST_AND_PORT = /^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/

function hasPlainUserInfo(text: string): boolean {
  const url = text.replace(OUTER_SCHEMES, '')
  const [start = '', scheme = '', authority = ''] = /^(?:([a-z][a-z\d+.-]*):)?\/*([^/?#]*)/i.exec(url) ?? []
  if (WITHOUT_HOST.has(scheme.toLowerCase()) && !url.startsWith('//', scheme.length + 1)) return false
  const end = authority.lastIndexOf('@')
  // A password with a slash that is not encoded: `https://user:pass/word@host`.
  if (end === -1) return !HOST_AND_PORT.test(authority) && url.includes('@', start.length)
  const isSsh = SSH.has(scheme.toLowerCase()) || (scheme === '' && SCP_ADDRESS.test(url))
  return !isSsh || authority.slice(0, end).includes(':')
}
