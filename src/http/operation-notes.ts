import type { SwaggerTransform } from '@fastify/swagger'

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
