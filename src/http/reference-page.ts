import scalar from '@scalar/fastify-api-reference'
import type { FastifyPluginAsync } from 'fastify'
import { Problem } from '../contract/problem.ts'

/** The page loads from this server only: it works without internet access and makes no request to a third party. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** Serves the API reference page at /docs. */
export const referencePage: FastifyPluginAsync = async (app) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, permission: 'public' }
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
  })
  await app.register(scalar, {
    routePrefix: '/docs',
    hooks: {
      // Scalar builds a URL from the Host header and throws if that is not valid.
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
      // Absolute, so that the page works with and without a trailing slash.
      cdn: '/docs/js/scalar.js',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
}
