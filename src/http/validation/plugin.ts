import { Ajv } from 'ajv'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Static, TSchema } from 'typebox'
import { DECIMAL_PATTERN, isDecimal } from '../../contract/decimal.ts'
import { parseUuid } from '../../contract/uuid.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import { onFirstUse } from '../../platform/on-first-use.ts'
import type { RawBody } from '../raw-body.ts'
import { validateBody } from './body.ts'
import type { JsonSchema } from './check-value.ts'
import { ErrorList } from './error-list.ts'
import { parseParameters } from './parameters.ts'
import { createPartValidation, type PartValidation } from './parts.ts'
import { requireSupportedBody, requireSupportedParameters } from './supported-schema.ts'
import { refuseUnknownNames } from './unknown-names.ts'

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
    const ajv = createAjv(schemas)
    const compile = (schema: object) => onFirstUse((): ((value: unknown) => boolean) => ajv.compile(schema))
    const byRef = new Map(schemas.map((schema) => [`${schema.$id}#`, schema as JsonSchema]))
    const resolve = (ref: string): JsonSchema => {
      const schema = byRef.get(ref)
      if (!schema) throw new Error(`No schema ${ref} is registered`)
      return schema
    }

    app.setValidatorCompiler(() => () => true)
    app.decorateRequest('bodyBytes', undefined)

    const validateParts = (part: TSchema) => {
      const schema = part as JsonSchema
      requireSupportedBody(schema, resolve)
      return createPartValidation(schema.$ref ? resolve(schema.$ref) : schema, compile(part), resolve)
    }
    app.decorate('validateParts', validateParts)
    app.decorate('bodyCheck', (body: TSchema) => {
      const { validate } = validateParts(body)
      return (given: unknown): never => {
        const { value, errors } = validate(given as object)
        if (errors.length > 0) {
          throw new RequestValidationError(
            errors.map(({ loc, ...rest }) => ({ loc: ['body', ...loc], ...rest })),
          )
        }
        return value as never
      }
    })

    app.addHook('onRoute', (route) => {
      const { params, querystring, headers, body: declared } = (route.schema ?? {}) as RequestSchemas
      const readsBody = route.config?.readsBody === true
      const body = readsBody ? undefined : declared
      // A hidden route is no operation of the document: a health check or a mounted service takes any query.
      const isOperation = route.schema?.hide !== true
      if (!isOperation && !params && !querystring && !headers && !body) return
      for (const [part, schema] of Object.entries({ path: params, query: querystring, header: headers })) {
        if (schema) requireSupportedParameters(part, schema, resolve)
      }
      const queryNames = Object.keys(querystring?.properties ?? {})
      if (body) requireSupportedBody(body, resolve)
      const bodySchema = body?.$ref ? resolve(body.$ref) : body
      const isValidBody = body && compile(body)

      const validate = async (request: FastifyRequest) => {
        const errors = new ErrorList()
        if (params) {
          const given = request.params as Record<string, string>
          request.params = parseParameters('path', params, given, resolve, errors)
        }
        const query = request.query as Record<string, string | string[]>
        if (querystring) request.query = parseParameters('query', querystring, query, resolve, errors)
        if (isOperation) refuseUnknownNames(['query'], query, queryNames, errors)
        // Handlers read headers as text.
        if (headers) parseParameters('header', headers, request.headers, resolve, errors)
        const raw = request.body as RawBody | undefined
        if (readsBody) request.bodyBytes = raw?.bytes
        if (bodySchema && isValidBody) {
          request.bodyBytes = raw?.bytes
          request.body = validateBody(bodySchema, isValidBody, raw, resolve, errors)
        }
        if (errors.errors.length > 0) throw new RequestValidationError(errors.errors)
      }
      route.preValidation = [validate, ...[route.preValidation ?? []].flat()]
    })
  },
  { name: 'validation' },
)

function createAjv(schemas: NamedSchema[]): Ajv {
  return new Ajv({
    schemas,
    // The check of the document does: a start does not repeat it.
    validateSchema: false,
    strict: true,
    strictTypes: false,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    formats: {
      uuid: (text: string) => parseUuid(text).ok,
      // Every integer has its bounds as minimum and maximum.
      int32: true,
      int64: true,
    },
    // The published pattern of a decimal takes cubic time; isDecimal accepts the same texts in linear time.
    code: {
      regExp: Object.assign(
        (pattern: string, flags: string) =>
          pattern === DECIMAL_PATTERN
            ? { test: isDecimal, toString: (): string => pattern }
            : new RegExp(pattern, flags),
        { code: 'new RegExp' },
      ),
    },
  })
}
