import type { Schema } from 'fast-json-stringify'
import buildSerializer from 'fast-json-stringify'
import type { FastifyRequest } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import fp from 'fastify-plugin'
import type { Static, TSchema } from 'typebox'
import { RequestValidationError } from '../../api/problem.ts'
import { onFirstUse } from '../../platform/async.ts'
import type { RawBody } from '../request.ts'
import { BodyReader, createBodyCheck, createPartValidation, type PartValidation } from './body.ts'
import { type JsonSchema, SchemaCompiler } from './check-value.ts'
import { ErrorList, refuseUnknownNames } from './error-list.ts'
import { compileParameters } from './parameters.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads and validates `bodyBytes` itself. The schema of the body is for the document. */
    readsBody?: boolean
  }
  interface FastifyRequest {
    /** The unparsed body, for a handler that forwards it. */
    bodyBytes: Buffer | undefined
  }
  interface FastifyInstance {
    /** For a handler that reads the body itself. */
    validateParts: (schema: TSchema) => PartValidation
    /** Returns a function that validates a value as a body of this schema and returns it for the handler. */
    bodyCheck: <Schema extends TSchema>(body: Schema) => (value: unknown) => Static<Schema>
  }
}

type NamedSchema = TSchema & { $id?: string }

export interface RequestSchemas {
  params?: JsonSchema
  querystring?: JsonSchema
  headers?: JsonSchema
  body?: JsonSchema
}

/** Validates path, query, headers and body together and reports every error at once. Replaces Fastify's own
 * validation, which stops at the first invalid part. */
export const validation = fp(
  async (app, { schemas }: { schemas: NamedSchema[] }) => {
    const byRef = new Map(schemas.map((schema) => [`${schema.$id}#`, schema as JsonSchema]))
    const compiler = new SchemaCompiler((ref) => {
      const schema = byRef.get(ref)
      if (!schema) throw new Error(`No schema ${ref} is registered`)
      return schema
    })
    const createReader = (schema: TSchema) => new BodyReader(schema, compiler)

    app.setValidatorCompiler(() => () => true)
    app.decorateRequest('bodyBytes', undefined)
    app.decorate('validateParts', (schema: TSchema) => createPartValidation(createReader(schema)))
    app.decorate('bodyCheck', <Schema extends TSchema>(schema: Schema) =>
      createBodyCheck<Schema>(createReader(schema)),
    )

    app.addHook('onRoute', (route) => {
      const { params, querystring, headers, body } = (route.schema ?? {}) as RequestSchemas
      const readsBody = route.config?.readsBody === true
      // A hidden route is no operation of the document: a health check or a mounted service takes any query.
      const isOperation = route.schema?.hide !== true
      if (!isOperation && !params && !querystring && !headers && !body) return
      const readPath = params && compileParameters('path', params, compiler)
      const readQuery = querystring && compileParameters('query', querystring, compiler)
      const readHeaders = headers && compileParameters('header', headers, compiler)
      const reader = body && !readsBody ? new BodyReader(body, compiler) : undefined
      const queryNames = Object.keys(querystring?.properties ?? {})

      const validate = async (request: FastifyRequest) => {
        const errors = new ErrorList()
        const query = request.query as Record<string, string | string[]>
        if (readPath) request.params = readPath(request.params as Record<string, string>, errors)
        if (readQuery) request.query = readQuery(query, errors)
        if (isOperation) refuseUnknownNames(['query'], query, queryNames, errors)
        // Handlers read headers as text.
        readHeaders?.(request.headers, errors)
        if (reader || readsBody) request.bodyBytes = (request.body as RawBody | undefined)?.bytes
        if (reader) request.body = reader.read(request.body as RawBody | undefined, errors)
        if (errors.errors.length > 0) throw new RequestValidationError(errors.errors)
      }
      route.preValidation = [validate, ...[route.preValidation ?? []].flat()]
    })
  },
  { name: 'validation' },
)

type Serialize = (data: unknown) => string

/** Builds one serializer for each schema, with the named schemas that it refers to. Fastify by itself builds one for
 * each response of each route, and checks all named schemas each time: that is two thirds of the time of a start. */
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
