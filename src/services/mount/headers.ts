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
    document-policy* expect-ct feature-policy integrity-policy* nel origin-agent-cluster origin-trial permissions-policy*
    public-key-pins* referrer-policy refresh report-to reporting-endpoints sec-* service-worker* speculation-rules
    strict-transport-security supports-loading-mode x-dns-prefetch-control x-frame-options
    x-permitted-cross-domain-policies x-webkit-csp* x-xss-protection`,
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
