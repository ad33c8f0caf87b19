import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyPluginAsync } from 'fastify'
import { HTML_TYPE, sendCached, toCached } from './cached-content.ts'
import { ICON } from './pages/icon.ts'

interface LandingPageOptions {
  version: string
}

const TEMPLATE = readFileSync(new URL('./pages/landing.html', import.meta.url), 'utf8')
const STYLE = readFileSync(new URL('./pages/landing.css', import.meta.url), 'utf8')

const CONTENT_SECURITY_POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the page at `/`, which links to the other public pages. */
export const landingPage: FastifyPluginAsync<LandingPageOptions> = async (app, options) => {
  const content = toCached(render(options), HTML_TYPE, 'no-cache')
  app.get('/', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    return sendCached(request, reply, content)
  })
}

function render({ version }: LandingPageOptions): string {
  const parts: Record<string, string> = { version, icon: `<link rel="icon" href="${ICON}">`, style: STYLE }
  return TEMPLATE.replace(/(?:<!--|\/\*) (\w+) (?:-->|\*\/)/g, (_, name: string) => parts[name] ?? '')
}
