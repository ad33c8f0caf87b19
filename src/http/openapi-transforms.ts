import { isDeepStrictEqual } from 'node:util'
import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { validationResponse } from '../contract/responses.ts'
import { TEAM_HEADER, TeamHeader } from '../contract/team-header.ts'
import { validationExamples } from './openapi-examples.ts'
import type { JsonSchema } from './validation/check-value.ts'
import type { RequestSchemas } from './validation/plugin.ts'

/** Additions to every operation of the document. */

type Schema = Parameters<SwaggerTransform>[0]['schema']

const NOTES: Record<string, string> = {
  authenticated: 'Needs a valid token; no particular permission.',
  member: 'Needs a valid token with a user and a team; no particular permission.',
}

/** Appends the permission that the operation needs to its description, adds the header that names the team, and gives its
 * 422 examples of its own. */
export function createTransform(app: FastifyInstance): SwaggerTransform {
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
export const REQUEST_ID_HEADER = {
  description:
    'Id of the request in the log and in the audit log. The console keeps the `x-request-id` of the request if it has at ' +
    'most 128 letters, digits and characters of `_.:/+=-`; otherwise it makes a new one.',
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

/** Adds the request id to every response and the methods of the path to every 405, and makes components of the errors. */
export function completeDocument(
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

/** The name of an error of the console as a component, after its codes: `agent_not_found`. No component of a service has
 * such a name: those begin with a capital letter. Undefined for any other response, also one that a service may send. */
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
