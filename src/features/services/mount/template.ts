/** A path as a service declares it, in the form that the router reads and the form that is forwarded. */
export interface PathTemplate {
  /** For find-my-way. Its parameters are `p0`, `p1` and so on: declared names may have characters that the router
   * interprets. */
  route: string
  /** The declared names of the parameters, in the same order. */
  parameterNames: string[]
  pieces: Piece[]
}

type Piece = { text: string } | { param: string }

const LITERAL = /^[\w.~!$&',;=@:+-]*$/
const BAD_CHARACTER = 'contains a character that the console does not support in paths'

/** Throws an Error whose message says why the console cannot mount the path. */
export function readTemplate(path: string): PathTemplate {
  if (!path.startsWith('/')) throw new Error('it does not start with a slash')
  const segments = path.split('/').slice(1)
  const parameterNames: string[] = []
  const addParameter = (name: string) => `p${parameterNames.push(name) - 1}`
  const pieces: Piece[] = []
  const routes = segments.map((segment, index) => {
    const isLast = index === segments.length - 1
    if (segment === '' && !isLast) throw new Error('it has an empty segment')
    if (segment === '.' || segment === '..') throw new Error(`it has the segment ${segment}`)
    const own = readSegment(segment, addParameter)
    pieces.push({ text: '/' }, ...own)
    return routeOf(own)
  })
  return { route: `/${routes.join('/')}`, parameterNames, pieces }
}

function readSegment(segment: string, addParameter: (name: string) => string): Piece[] {
  const pieces = (segment.match(/\{[^{}]+\}|[^{}]+|[{}]/g) ?? []).map((text): Piece => {
    if (text.length > 2 && text.startsWith('{')) return { param: addParameter(text.slice(1, -1)) }
    if (!LITERAL.test(text)) throw new Error(`its segment ${segment} ${BAD_CHARACTER}`)
    return { text }
  })
  const shape = pieces.map((piece) => ('param' in piece ? 'p' : 't')).join('')
  // With more parameters in a segment the router could backtrack for a long time on a hostile path.
  if (!/^t?(?:pt?|ptp)?$/.test(shape)) {
    throw new Error(`its segment ${segment} has more parameters than the console supports in one segment`)
  }
  return pieces
}

function routeOf(pieces: Piece[]): string {
  const needsPattern =
    !('param' in (pieces.at(-1) ?? {})) || pieces.filter((piece) => 'param' in piece).length > 1
  return pieces
    .map((piece) => {
      if ('text' in piece) return piece.text.replaceAll(':', '::')
      return needsPattern ? `:${piece.param}([^/]+?)` : `:${piece.param}`
    })
    .join('')
}

/** Where a response points to, as a path of the console. Undefined for a target outside the service's base URL: it
 * would lead callers elsewhere, or reveal the address of the service. */
export function toConsoleLocation(location: string, baseUrl: string, path: string): string | undefined {
  const base = new URL(baseUrl)
  const basePath = base.pathname.replace(/\/+$/, '')
  const target = URL.parse(location, base.origin + basePath + path)
  if (target?.origin !== base.origin) return undefined
  if (basePath !== '' && !target.pathname.startsWith(`${basePath}/`)) return undefined
  const own = target.pathname.slice(basePath.length)
  // A path that begins with two slashes would name a host.
  return own.startsWith('//') ? undefined : own + target.search + target.hash
}

const words = (text: string) => text.trim().split(/\s+/)

/** Headers that pass whatever an operation declares. */
const REQUEST = words(`
  accept accept-encoding accept-language content-digest content-disposition content-encoding content-language
  content-location content-range content-type idempotency-key if-match if-modified-since if-none-match if-range
  if-unmodified-since last-event-id range traceparent tracestate`)
const RESPONSE = words(`
  accept-ranges cache-control content-digest content-disposition content-encoding content-language content-length
  content-location content-range content-type etag expires last-modified location retry-after vary www-authenticate`)

/** Headers that never pass, in either direction, even if a document declares them. `x-*` matches a prefix. */
const refused = [
  // They belong to one connection (RFC 9110 section 7.6.1).
  `connection content-length expect host http2-settings keep-alive proxy-* te trailer transfer-encoding upgrade via`,
  // The console sets them itself.
  `authorization console-team date server user-agent x-content-type-options x-request-id`,
  // Cookies belong to the origin of the console.
  `cookie cookie2 set-cookie set-cookie2`,
  // Proxies use them to pass the identity of the caller, and services trust them.
  `remote-user x-remote-* x-user* x-auth-request-* x-authenticated-* x-webauth-* x-goog-authenticated-* x-goog-iap-*
    x-ms-client-principal* x-amzn-oidc-* x-amzn-mtls-* cf-access-* tailscale-user-* x-client-cert* client-cert*
    x-ssl-* ssl-client-* x-arr-clientcert`,
  // Proxies use them to pass the origin or the original form of a request.
  `forwarded x-forwarded-* x-real-ip x-client-ip x-cluster-client-ip true-client-ip cf-connecting-ip* fastly-client-ip
    x-envoy-* x-original-* x-rewrite-url`,
  // Browsers apply them to the whole origin, or to later requests.
  `accept-ch* access-control-* alt-svc clear-site-data content-security-policy* critical-ch cross-origin-*
    document-policy* expect-ct feature-policy integrity-policy* nel origin-agent-cluster origin-trial
    permissions-policy* public-key-pins* referrer-policy refresh report-to reporting-endpoints sec-*
    service-worker* speculation-rules strict-transport-security supports-loading-mode x-dns-prefetch-control
    x-frame-options x-permitted-cross-domain-policies x-webkit-csp* x-xss-protection`,
].flatMap(words)
const refusedNames = new Set(refused)
const refusedPrefixes = refused.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))

/** The characters of a header name (RFC 9110 section 5.1). */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

const withDeclared = (always: string[]) => (declared: readonly string[]) => [
  ...new Set([...always, ...passable(declared)]),
]
export const requestNames = withDeclared(REQUEST)
export const responseNames = withDeclared(RESPONSE)

function passable(declared: readonly string[]): string[] {
  const isRefused = (name: string) =>
    refusedNames.has(name) || refusedPrefixes.some((prefix) => name.startsWith(prefix))
  return declared.filter((name) => NAME.test(name) && !isRefused(name))
}
