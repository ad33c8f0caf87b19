import buildSerializer, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { onFirstUse } from '../platform/on-first-use.ts'

type NamedSchema = TSchema & { $id?: string }
type Serialize = (data: unknown) => string

/** Builds one serializer for each schema, with the named schemas that it refers to. Fastify by itself builds one for each response
 * of each route, and checks all named schemas each time: that is two thirds of the time of a start. */
export function createSerializerCompiler(
  schemas: readonly NamedSchema[],
): FastifySerializerCompiler<TSchema> {
  const byId = new Map(schemas.map((schema) => [schema.$id, schema]))
  const serializers = new Map<string, Serialize>()

  const addReferences = (text: string, found: Record<string, NamedSchema>) => {
    for (const [, id = ''] of text.matchAll(/"\$ref":"([^"#]+)#"/g)) {
      const schema = byId.get(id)
      if (!schema || id in found) continue
      found[id] = schema
      addReferences(JSON.stringify(schema), found)
    }
    return found
  }

  return ({ schema }) => {
    const text = JSON.stringify(schema)
    let serialize = serializers.get(text)
    if (!serialize) {
      serialize = onFirstUse((): Serialize => {
        const named = addReferences(text, {}) as Record<string, Schema>
        return buildSerializer(schema as Schema, { schema: named })
      })
      serializers.set(text, serialize)
    }
    return serialize
  }
}
