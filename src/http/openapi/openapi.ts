import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { PERMISSION_DESCRIPTIONS } from '../../api/caller.ts'
import { TEAM_HEADER, TeamHeader } from '../../api/headers.ts'
import { API_VERSION, FEATURES, validationResponse } from '../../api/operation.ts'
import { JSON_TYPE, sendCached } from '../compression.ts'
import { type JsonSchema, type Resolve, SchemaCompiler } from '../validation/check-value.ts'
import { ErrorList, refuseUnknownNames } from '../validation/error-list.ts'
import { compileParameters } from '../validation/parameters.ts'
import type { RequestSchemas } from '../validation/plugin.ts'

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
            'Agent Console stores the configuration of every AI agent of a company and is the single API through ' +
            'which clients reach the services that test, protect, attack and evolve those agents. All times are Unix ' +
            'time in seconds. A request for an agent of another team gets the same 404 as one for an agent that does ' +
            'not exist. Every error body of the console has `detail`; every one except 422 also has a stable `code`.',
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
                'A JWT of the configured issuer. Its permissions are in the claims `scope` and `permissions`, or in ' +
                'claims that the operator has chosen: an array, or a text with spaces between the values. A value is ' +
                'a permission, or a role that the operator has given permissions. Each operation names the ' +
                `permission it needs:\n\n${PERMISSION_LIST}`,
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

const DOCUMENT = new URL('../../../openapi.json', import.meta.url)

/** Generated and committed: to generate it takes half of the CPU time of a start. `npm run check` compares it. */
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

/** Additions to every operation of the document. */

type Schema = Parameters<SwaggerTransform>[0]['schema']

const NOTES: Record<string, string> = {
  authenticated: 'Needs a valid token; no particular permission.',
  member: 'Needs a valid token with a user and a team; no particular permission.',
}

/** Appends the permission that the operation needs to its description, adds the header that names the team, and gives
 * its 422 examples of its own. */
function createTransform(app: FastifyInstance): SwaggerTransform {
  return ({ schema, url, route }) => {
    const permission = route.config?.permission
    // Hidden routes are not in the document. Public routes that are not hidden exist only in tests.
    if (schema.hide || permission === undefined || permission === 'public') return { url, schema }
    const note = NOTES[permission] ?? `Needs the permission \`${permission}\`.`
    const description = [schema.description ?? [], note].flat().join(' ')
    const complete = { ...addValidationExamples(app, schema), description }
    return { url, schema: permission === 'authenticated' ? complete : addTeamHeader(complete) }
  }
}

function addTeamHeader(schema: Schema): Schema {
  const headers = (schema.headers ?? { type: 'object' }) as { properties?: object }
  return {
    ...schema,
    headers: { ...headers, properties: { ...headers.properties, [TEAM_HEADER]: TeamHeader } },
  }
}

/** Every operation may return 422, because unknown query names are errors. */
function addValidationExamples(app: FastifyInstance, schema: Schema): Schema {
  const responses = schema.response as Record<string, typeof validationResponse>
  const declared = responses[422] ?? validationResponse
  const resolve = (ref: string) => app.getSchema(ref.replace(/#$/, '')) as JsonSchema
  const examples = validationExamples(schema as RequestSchemas, resolve)
  const content = Object.entries(declared.content).map(([type, media]) => [type, { ...media, examples }])
  return {
    ...schema,
    response: { ...responses, 422: { ...declared, content: Object.fromEntries(content) as object } },
  }
}

/** A header of every response. */
const REQUEST_ID_HEADER = {
  description:
    'Id of the request in the log and in the audit log. The console keeps the `x-request-id` of the request if it ' +
    'has at most 128 letters, digits and characters of `_.:/+=-`; otherwise it makes a new one.',
  schema: { type: 'string' as const, examples: ['01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'] },
}

interface Header {
  schema?: { examples?: string[] }
  $ref?: string
}

interface Response {
  headers?: Record<string, Header>
  content?: Record<string, { schema: { $ref?: string }; examples?: Record<string, object> }>
}

interface Collected {
  paths: Record<string, Record<string, { responses: Record<string, Response | { $ref: string }> }>>
  components: { responses?: Record<string, Response> }
}

/** Adds the request id to every response, and its methods to every 405. Makes components of the errors. */
function completeDocument(
  app: FastifyInstance,
): NonNullable<FastifyDynamicSwaggerOptions['transformObject']> {
  return (document) => {
    const { openapiObject } = document as unknown as { openapiObject: Collected }
    const shared: Record<string, Response> = {}
    for (const [path, operations] of Object.entries(openapiObject.paths)) {
      const allow = app.allowedMethods(path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, ''))
      for (const operation of Object.values(operations)) {
        const responses = operation.responses as Record<string, Response>
        const completed = Object.entries(responses).map(([status, response]) => {
          const complete = completeHeaders(response, allow)
          const name = componentName(complete)
          if (name === undefined) return [status, complete]
          assertSame((shared[name] ??= complete), complete, name)
          return [status, { $ref: `#/components/responses/${name}` }]
        })
        operation.responses = Object.fromEntries(completed)
      }
    }
    openapiObject.components.responses = shared
    return openapiObject
  }
}

function completeHeaders(response: Response, allow: string): Response {
  const headers = { ...response.headers, 'x-request-id': { $ref: '#/components/headers/RequestId' } }
  const allowed = response.headers?.['allow']
  if (!allowed) return { ...response, headers }
  return {
    ...response,
    headers: { ...headers, allow: { ...allowed, schema: { ...allowed.schema, examples: [allow] } } },
  }
}

/** Short names for combinations of codes that many operations have. */
const SHORT_NAMES: Record<string, string> = {
  unauthenticated_or_invalid_token: 'unauthorized',
  permission_missing_or_team_missing_or_team_ambiguous_or_team_not_yours_or_user_missing: 'forbidden',
  team_missing_or_team_ambiguous_or_team_not_yours_or_user_missing: 'team_or_user_missing',
  issuer_unavailable_or_overloaded: 'unavailable',
  issuer_unavailable_or_overloaded_or_database_unavailable: 'read_unavailable',
  issuer_unavailable_or_overloaded_or_database_unavailable_or_agent_busy_or_outcome_unknown:
    'write_unavailable',
}

/** The name of an error of the console as a component, after its codes: `agent_not_found`. No component of a service
 * has such a name: those begin with a capital letter. Undefined for any other response, also one that a service may
 * send. */
function componentName({ headers, content }: Response): string | undefined {
  const { schema, examples } = content?.['application/json'] ?? {}
  if (schema?.$ref !== '#/components/schemas/Problem') return undefined
  const codes = Object.keys(examples ?? {}).join('_or_')
  const [allowed] = headers?.['allow']?.schema?.examples ?? []
  if (allowed) return `${codes}_except_${allowed.toLowerCase().replaceAll(', ', '_')}`
  return SHORT_NAMES[codes] ?? codes
}

function assertSame(one: Response, other: Response, name: string): void {
  if (!isDeepStrictEqual(one, other)) throw new Error(`Two different responses would be named ${name}`)
}

type Examples = Record<string, { summary: string; value: { detail: ErrorList['errors'] } }>

/** Examples of the 422 of one operation. The validator makes them, from its schemas and an invalid request. */
function validationExamples(schemas: RequestSchemas, resolve: Resolve): Examples {
  const { params, querystring, body } = schemas
  const compiler = new SchemaCompiler(resolve)
  const examples: Examples = {}
  const add = (name: string, summary: string, validate: (errors: ErrorList) => unknown) => {
    const errors = new ErrorList()
    validate(errors)
    if (errors.errors.length > 0) examples[name] = { summary, value: { detail: errors.errors } }
  }

  if (params) {
    const given = Object.fromEntries(propertyNames(params).map((name) => [name, 'abc']))
    add('path', 'The path is not valid', (errors) =>
      compileParameters('path', params, compiler)(given, errors),
    )
  }
  for (const name of propertyNames(querystring)) {
    if (examples['query']) break
    add('query', 'A query parameter is not valid', (errors) =>
      compileParameters('query', querystring ?? {}, compiler)({ [name]: 'abc' }, errors),
    )
  }
  // One that the handler reads itself has a schema for each media type.
  if (body && !('content' in body)) {
    const schema = body.$ref ? resolve(body.$ref) : body
    add('body', 'The body is not valid', (errors) =>
      compiler.compile(schema, 'body')(invalidBody(schema), ['body'], errors),
    )
  }
  if (Object.keys(examples).length === 0) {
    add('unknown', 'The operation has no such query parameter', (errors) =>
      refuseUnknownNames(['query'], { limit: '10' }, [], errors),
    )
  }
  return examples
}

function propertyNames(schema: JsonSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

/** Lacks every required field; if none is required, the first field has a wrong value; if there are no fields, it is no
 * object. */
function invalidBody(schema: JsonSchema): unknown {
  if (schema.required) return {}
  const [first] = propertyNames(schema)
  return first === undefined ? [] : { [first]: 'abc' }
}
