import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'

/** Additions to every operation of the document. */

/** Appends the permission that the operation needs to its description. */
export const addPermissionNote: SwaggerTransform = ({ schema, url, route }) => {
  const permission = route.config?.permission
  // Public routes are not in the document.
  if (permission === undefined || permission === 'public') return { url, schema }
  const note =
    permission === 'authenticated'
      ? 'Needs a valid token, with any permissions.'
      : `Needs the permission \`${permission}\`.`
  return { url, schema: { ...schema, description: [schema.description ?? [], note].flat().join(' ') } }
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
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>
  }
}

export const addRequestIdHeader: NonNullable<FastifyDynamicSwaggerOptions['transformObject']> = (
  document,
) => {
  const { openapiObject } = document as unknown as Collected
  const operations = Object.values(openapiObject.paths).flatMap((path) => Object.values(path))
  for (const response of operations.flatMap(({ responses }) => Object.values(responses))) {
    response.headers = { ...response.headers, 'x-request-id': { $ref: '#/components/headers/RequestId' } }
  }
  return openapiObject
}
