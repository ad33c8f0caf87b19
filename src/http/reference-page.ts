import { readFile } from 'node:fs/promises'
import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../contract/problem.ts'
import { HTML_TYPE, sendCached, toCached } from './cached-content.ts'
import { ICON } from './pages/icon.ts'

/** What `scripts/build-reference.ts` writes. */
const SCRIPT = new URL('../../dist/reference.js', import.meta.url)

/** The page loads from this server only: it works without internet access and makes no request to a third party.
 * Scalar writes its styles into the page without a nonce. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const CONFIGURATION = {
  url: '/openapi.json',
  // The document names no server. Scalar resolves this one against the address of the page.
  servers: [{ url: '/' }],
  authentication: { preferredSecurityScheme: 'bearer' },
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  // Removes the outline around an operation that was opened by a link.
  customCss: '.section.section { outline: none }',
}

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Serves the API reference at /docs. */
export const referencePage: FastifyPluginAsync = async (app) => {
  const route = { config: { permission: 'public' }, schema: { hide: true } } as const
  let loaded: ReturnType<typeof load> | undefined

  app.get('/docs', route, async (request, reply) => {
    const { page } = await (loaded ??= load())
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    return sendCached(request, reply, page)
  })

  app.get<{ Params: { hash: string } }>('/docs/scalar-:hash.js', route, async (request, reply) => {
    const { script, scriptHash } = await (loaded ??= load())
    // During an upgrade, a replica of another version may have served the page.
    const cacheControl = request.params.hash === scriptHash ? IMMUTABLE : 'no-store'
    return sendCached(request, reply, { ...script, cacheControl })
  })
}

/** On the first request: most replicas never serve the page, and the script takes several megabytes of memory. */
async function load() {
  const text = await readFile(SCRIPT, 'utf8').catch((cause: Error) => {
    throw new Problem('not_found', {
      detail: 'The API reference is not built: run npm run build:web.',
      cause,
    })
  })
  const script = toCached(text, 'text/javascript; charset=utf-8', IMMUTABLE)
  const scriptHash = script.etag.slice(1, 17)
  return {
    script,
    scriptHash,
    page: toCached(render(`/docs/scalar-${scriptHash}.js`), HTML_TYPE, 'no-cache'),
  }
}

function render(script: string): string {
  const configuration = JSON.stringify(CONFIGURATION).replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Agent Console API</title>
    <link rel="icon" href="${ICON}">
  </head>
  <body>
    <div id="api-reference" data-configuration="${configuration}"></div>
    <script src="${script}"></script>
  </body>
</html>
`
}
