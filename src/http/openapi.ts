import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import { addPermissionNote, addRequestIdHeader, REQUEST_ID_HEADER } from './openapi-transforms.ts'

export const API_VERSION = '0.1.0'

const TAGS = [
  { name: 'Teams', description: 'Authentication, users, team management' },
  { name: 'Agent Environment', description: 'Agents, personas, policies, harnesses' },
  { name: 'Evaluation', description: 'Evaluation management and report retrieval' },
  { name: 'Protection', description: 'Guardrails and telemetry' },
  { name: 'Red Team', description: 'Campaigns' },
]

/** Collects the routes that are registered after it into the OpenAPI document. */
export const openApi = fp(
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
        // The contract declares no server address: paths are relative to the address of the console.
        servers: [],
        security: [],
        tags: TAGS,
        components: {
          headers: { RequestId: REQUEST_ID_HEADER },
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
      transform: addPermissionNote,
      transformObject: addRequestIdHeader,
      // The name of a component is the $id of its schema, not a counter.
      refResolver: {
        buildLocalReference: ({ $id }, _base, _fragment, index) =>
          typeof $id === 'string' ? $id : `def-${index}`,
      },
    })
  },
  { name: 'openapi' },
)

export interface OpenApiRouteOptions {
  /** Called before the server listens, with the document of the console's own routes. */
  onReady: (ownDocument: string) => Promise<void>
  getDocument: () => Promise<{ bytes: Uint8Array; etag: string }>
}

export const openApiRoute = fp(
  async (app, { onReady, getDocument }: OpenApiRouteOptions) => {
    app.addHook('onReady', () => onReady(JSON.stringify(app.swagger())))
    app.get(
      '/openapi.json',
      { config: { permission: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const { bytes, etag } = await getDocument()
        reply.header('etag', etag).header('cache-control', 'no-cache')
        if (matchesETag(etag, request.headers['if-none-match'])) return reply.code(304).send()
        return reply.type('application/json; charset=utf-8').send(bytes)
      },
    )
  },
  { name: 'openapi-route', dependencies: ['openapi'] },
)

/** Weak comparison (RFC 9110 section 13.1.2): a proxy that compresses turns the tag into a weak one. */
function matchesETag(etag: string, ifNoneMatch = ''): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
