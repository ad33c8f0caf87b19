import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../../api/problem.ts'
import { HTML_TYPE, sendCached, toCached } from '../compression.ts'

/** What `scripts/build-reference.ts` writes. */
const SCRIPT = new URL('../../../dist/reference.js', import.meta.url)

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

interface LandingPageOptions {
  version: string
}

const TEMPLATE = readFileSync(new URL('./landing.html', import.meta.url), 'utf8')
const STYLE = readFileSync(new URL('./landing.css', import.meta.url), 'utf8')

const LANDING_PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the page at `/`, which links to the other public pages. */
export const landingPage: FastifyPluginAsync<LandingPageOptions> = async (app, options) => {
  const content = toCached(renderLandingPage(options), HTML_TYPE, 'no-cache')
  app.get('/', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    reply.header('content-security-policy', LANDING_PAGE_POLICY)
    return sendCached(request, reply, content)
  })
}

function renderLandingPage({ version }: LandingPageOptions): string {
  const parts: Record<string, string> = { version, icon: `<link rel="icon" href="${ICON}">`, style: STYLE }
  return TEMPLATE.replace(/(?:<!--|\/\*) (\w+) (?:-->|\*\/)/g, (_, name: string) => parts[name] ?? '')
}

/** A data URL, so that browsers do not request /favicon.ico. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E' +
  '%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%234f46e5%22/%3E' +
  '%3Cpath d=%22M9 11l5 5-5 5M17 21h6%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%222.5%22 ' +
  'stroke-linecap=%22round%22 stroke-linejoin=%22round%22/%3E%3C/svg%3E'
