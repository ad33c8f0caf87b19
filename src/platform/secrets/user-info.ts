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
