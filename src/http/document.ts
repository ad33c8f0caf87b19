import { createHash } from 'node:crypto'
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

/** Serves the document from memory. */
export const documentRoute = fp(
  async (app) => {
    let text = ''
    let etag = ''
    app.addHook('onReady', async () => {
      text = JSON.stringify(app.swagger())
      etag = `"${createHash('sha256').update(text).digest('base64url')}"`
    })
    app.get(
      '/openapi.json',
      { config: { permission: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        reply.header('etag', etag).header('cache-control', 'no-cache')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return reply.type('application/json; charset=utf-8').send(text)
      },
    )
  },
  { name: 'document-route', dependencies: ['document'] },
)
