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

interface Collected {
  openapiObject: {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: Headers }> }>>
  }
}
type Headers = Record<string, { schema?: object }>

/** Adds the request id to every response, and the methods of the path to every 405. */
export function completeHeaders(
  app: FastifyInstance,
): NonNullable<FastifyDynamicSwaggerOptions['transformObject']> {
  return (document) => {
    const { openapiObject } = document as unknown as Collected
    for (const [path, operations] of Object.entries(openapiObject.paths)) {
      const allow = app.allowedMethods(path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, ''))
      for (const { responses } of Object.values(operations)) {
        const header = responses['405']?.headers?.['allow']
        if (header) header.schema = { ...header.schema, examples: [allow] }
        for (const response of Object.values(responses)) {
          response.headers = {
            ...response.headers,
            'x-request-id': { $ref: '#/components/headers/RequestId' },
          } as Headers
        }
      }
    }
    return openapiObject
  }
}
