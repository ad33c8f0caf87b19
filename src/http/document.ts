import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import { noteAccess, noteRequestId, REQUEST_ID } from './operation-notes.ts'

export const API_VERSION = '0.1.0'

const TAGS = [
  { name: 'Teams', description: 'Authentication, users, team management' },
  { name: 'Agent Environment', description: 'Agents, personas, policies, harnesses' },
  { name: 'Evaluation', description: 'Evaluation management and report retrieval' },
  { name: 'Protection', description: 'Guardrails and telemetry' },
  { name: 'Red Team', description: 'Campaigns' },
]

/** Collects the routes registered after it into the OpenAPI document. */
export const document = fp(
  async (app) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Agent Console API',
          version: API_VERSION,
          description:
            'One interface in front of the services that test, guard, attack and evolve AI agents, and the ' +
            "place where each agent's configuration lives.",
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        // No address is declared: paths are relative to wherever the console is reached.
        servers: [],
        security: [],
        tags: TAGS,
        components: {
          headers: { RequestId: REQUEST_ID },
          securitySchemes: {
            bearer: {
              type: 'http',
              scheme: 'bearer',
              bearerFormat: 'JWT',
              description: 'A JWT of the configured issuer. Permissions come from its scope.',
            },
          },
        },
      },
      transform: noteAccess,
      transformObject: noteRequestId,
      // A component is named by its schema, not by a counter.
      refResolver: {
        buildLocalReference: ({ $id }, _base, _fragment, index) =>
          typeof $id === 'string' ? $id : `def-${index}`,
      },
    })
  },
  { name: 'document' },
)

export interface DocumentRouteOptions {
  /** Is given the document of the routes registered here, before the server listens. */
  begin: (own: string) => Promise<void>
  /** What is served at the moment. */
  current: () => Promise<{ bytes: Uint8Array; etag: string }>
}

/** Serves the document from memory. */
export const documentRoute = fp(
  async (app, { begin, current }: DocumentRouteOptions) => {
    app.addHook('onReady', () => begin(JSON.stringify(app.swagger())))
    app.get(
      '/openapi.json',
      { config: { permission: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const { bytes, etag } = await current()
        reply.header('etag', etag).header('cache-control', 'no-cache')
        if (isNamed(etag, request.headers['if-none-match'])) return reply.code(304).send()
        return reply.type('application/json; charset=utf-8').send(bytes)
      },
    )
  },
  { name: 'document-route', dependencies: ['document'] },
)

/** Compared weakly, as RFC 9110 section 13.1.2 has it: a proxy that compresses weakens the tag. */
function isNamed(etag: string, ifNoneMatch = ''): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
