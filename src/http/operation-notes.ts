import type { FastifyDynamicSwaggerOptions, SwaggerTransform } from '@fastify/swagger'

/** What the document says of every operation, whoever declared it. */

/** Who may call it. */
export const noteAccess: SwaggerTransform = ({ schema, url, route }) => {
  const permission = route.config?.permission
  // Nothing of these is in the document.
  if (permission === undefined || permission === 'public') return { url, schema }
  const note =
    permission === 'authenticated'
      ? 'Needs a valid token, with any permissions.'
      : `Needs the permission \`${permission}\`.`
  return { url, schema: { ...schema, description: [schema.description ?? [], note].flat().join(' ') } }
}

/** A header of every answer. */
export const REQUEST_ID = {
  description: 'The id of the request in the log: the one it came with, where it came with a usable one',
  schema: { type: 'string' as const, examples: ['01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'] },
}

interface Collected {
  openapiObject: {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>
  }
}

export const noteRequestId: NonNullable<FastifyDynamicSwaggerOptions['transformObject']> = (document) => {
  const { openapiObject } = document as unknown as Collected
  const operations = Object.values(openapiObject.paths).flatMap((path) => Object.values(path))
  for (const answer of operations.flatMap(({ responses }) => Object.values(responses))) {
    answer.headers = { ...answer.headers, 'x-request-id': { $ref: '#/components/headers/RequestId' } }
  }
  return openapiObject
}
