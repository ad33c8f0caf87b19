import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import fp from 'fastify-plugin'
import { API_VERSION } from '../contract/api-version.ts'
import { FEATURES } from '../contract/operation.ts'
import { PERMISSION_DESCRIPTIONS } from '../contract/permissions.ts'
import { JSON_TYPE, sendCached } from './cached-content.ts'
import { completeDocument, createTransform, REQUEST_ID_HEADER } from './openapi-transforms.ts'

/** The areas of the contract. Mounted services have operations of all of them. */
const AREAS = [
  { name: 'Teams', description: 'Authentication, users and team management.' },
  {
    name: 'Agent Environment',
    description:
      'Agent configurations, their history and evolution; personas, policies and harnesses of the environment service.',
  },
  { name: 'Evaluation', description: 'Evaluation management and report retrieval.' },
  { name: 'Protection', description: 'Guardrails and telemetry.' },
  { name: 'Red Team', description: 'Campaigns that attack agents on purpose to find weaknesses.' },
]

const TAGS = [...AREAS, ...Object.entries(FEATURES).map(([name, { description }]) => ({ name, description }))]

/** The features of each area. The API reference shows only tags that are in a group. */
const TAG_GROUPS = [...Map.groupBy(Object.entries(FEATURES), ([, { area }]) => area)].map(
  ([name, features]) => ({ name, tags: features.map(([feature]) => feature) }),
)
/** The type of the options knows no extensions. */
const EXTENSIONS = { 'x-tagGroups': TAG_GROUPS }

const PERMISSION_LIST = Object.entries(PERMISSION_DESCRIPTIONS)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')

/** Collects the routes registered after it. `npm run generate` writes them to `openapi.json`. */
export const openApi = fp(
  async (app) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Agent Console API',
          version: API_VERSION,
          description:
            'Agent Console stores the configuration of every AI agent of a company and is the single API through which ' +
            'clients reach the services that test, protect, attack and evolve those agents. All times are Unix time in seconds. A request for ' +
            'an agent of another team gets the same 404 as one for an agent that does not exist. Every error body ' +
            'of the console has `detail`; every one except 422 also has a stable `code`.',
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        // The contract declares no server address: paths are relative to the address of the console.
        servers: [],
        security: [],
        tags: TAGS,
        ...EXTENSIONS,
        components: {
          headers: { RequestId: REQUEST_ID_HEADER },
          securitySchemes: {
            bearer: {
              type: 'http',
              scheme: 'bearer',
              bearerFormat: 'JWT',
              description:
                'A JWT of the configured issuer. Its permissions are in the claims `scope` and `permissions`, or in those that the ' +
                'operator has chosen: an array, or a text with spaces between the values. A value is a permission or a role that the ' +
                `operator has given permissions. Each operation names the permission it needs:\n\n${PERMISSION_LIST}`,
            },
          },
        },
      },
      transform: createTransform(app),
      transformObject: completeDocument(app),
      // The name of a component is the $id of its schema, not a counter.
      refResolver: {
        buildLocalReference: ({ $id }, _base, _fragment, index) =>
          typeof $id === 'string' ? $id : `def-${index}`,
      },
    })
  },
  { name: 'openapi' },
)

const DOCUMENT = new URL('../../openapi.json', import.meta.url)

/** Generated and committed: `npm run check` compares it with the code. To generate it takes half of the CPU time of a start. */
async function readOwnDocument(): Promise<string> {
  ownDocument ??= JSON.stringify(JSON.parse(await readFile(DOCUMENT, 'utf8')))
  return ownDocument
}

/** Several servers of a process share it. */
let ownDocument: string | undefined

export interface OpenApiRouteOptions {
  /** Called before the server listens, with the document of the console's own routes. */
  onReady: (ownDocument: string) => Promise<void>
  getDocument: () => Promise<{ bytes: Uint8Array; etag: string }>
}

export const openApiRoute = fp(
  async (app, { onReady, getDocument }: OpenApiRouteOptions) => {
    app.addHook('onReady', async () => onReady(await readOwnDocument()))
    app.get(
      '/openapi.json',
      { config: { permission: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const document = await getDocument()
        return sendCached(request, reply, { ...document, type: JSON_TYPE, cacheControl: 'no-cache' })
      },
    )
  },
  { name: 'openapi-route', dependencies: ['openapi'] },
)
