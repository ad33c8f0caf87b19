import type { Logger } from 'pino'
import { createRefresher, discover } from '../../platform/identity/source.ts'
import { withTimeout } from '../../platform/with-timeout.ts'

export interface PolicyOptions {
  issuer: string
  now: () => number
  log: Logger
}

const HOUR_MS = 3_600_000
/** The page must not wait for an issuer that does not respond. */
const MAX_WAIT_MS = 1_000

/** Returns the Content-Security-Policy of the console's pages. They run no inline script, make no HTML from text
 * (Trusted Types), and connect to this server and to the issuer only.
 *
 * Some issuers have their token endpoint on another host than the discovery document. This server may not reach the
 * issuer although browsers do; the policy then has the origin of the issuer alone. */
export function createPolicy({ issuer, now, log }: PolicyOptions): () => Promise<string> {
  let tokenEndpoint = issuer
  const refresher = createRefresher({
    what: `the token endpoint of ${issuer}`,
    load: async () => {
      const { token_endpoint: url } = await discover(issuer)
      if (typeof url === 'string' && URL.canParse(url)) tokenEndpoint = url
    },
    ...{ refreshAfterMs: HOUR_MS, maxAgeMs: 24 * HOUR_MS, cooldownMs: 10_000, now, log },
  })

  return async () => {
    const loading = refresher.keepFresh()
    if (loading) await withTimeout(MAX_WAIT_MS, loading, undefined)
    const origins = new Set([issuer, tokenEndpoint].map((url) => new URL(url).origin))
    return [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${[...origins].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; ')
  }
}
