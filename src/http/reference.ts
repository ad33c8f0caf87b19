import scalar from '@scalar/fastify-api-reference'
import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../contract/problem.ts'

/** Nothing but this server: the page works where there is no internet, and tells nobody that it was read. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** The reference page, drawn from the document this server publishes. */
export const reference: FastifyPluginAsync = async (app) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, permission: 'public' }
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
  })
  await app.register(scalar, {
    routePrefix: '/docs',
    hooks: {
      // The page builds a URL from the Host header, and would fail on one that is none.
      onRequest: (request, _reply, done) => {
        done(URL.canParse(`http://${request.hostname}`) ? undefined : new Problem('bad_request'))
      },
    },
    configuration: {
      pageTitle: 'Agent Console API',
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      // Absolute, so that the page is the same with and without a slash at its end.
      cdn: '/docs/js/scalar.js',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
}
