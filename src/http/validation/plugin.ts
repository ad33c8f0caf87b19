import { Ajv } from 'ajv'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { DECIMAL_PATTERN, isDecimal } from '../../contract/decimal.ts'
import { parseUuid } from '../../contract/uuid.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { RawBody } from '../raw-body.ts'
import { validateBody } from './body.ts'
import type { JsonSchema } from './check-value.ts'
import { ErrorList } from './error-list.ts'
import { parseParameters } from './parameters.ts'
import { requireSupportedBody, requireSupportedParameters } from './supported-schema.ts'
import { refuseUnknownNames } from './unknown-query.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The unparsed body, for a handler that forwards it. */
    bodyBytes: Buffer | undefined
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
    const byRef = new Map(schemas.map((schema) => [`${schema.$id}#`, schema as JsonSchema]))
    const resolve = (ref: string): JsonSchema => {
      const schema = byRef.get(ref)
      if (!schema) throw new Error(`No schema ${ref} is registered`)
      return schema
    }

    app.setValidatorCompiler(() => () => true)
    app.decorateRequest('bodyBytes', undefined)
    app.addHook('onRoute', (route) => {
      const { params, querystring, headers, body } = (route.schema ?? {}) as RequestSchemas
      // A hidden route is no operation of the document: a health check or a mounted service takes any query.
      const isOperation = route.schema?.hide !== true
      if (!isOperation && !params && !querystring && !headers && !body) return
      for (const [part, schema] of Object.entries({ path: params, query: querystring, header: headers })) {
        if (schema) requireSupportedParameters(part, schema, resolve)
      }
      if (body) requireSupportedBody(body, resolve)
      const queryNames = Object.keys(querystring?.properties ?? {})
      const bodySchema = body?.$ref ? resolve(body.$ref) : body
      const isValidBody = body ? ajv.compile(body) : undefined

      const validate = async (request: FastifyRequest) => {
        const errors = new ErrorList()
        if (params) {
          const given = request.params as Record<string, string>
          request.params = parseParameters('path', params, given, resolve, errors)
        }
        const query = request.query as Record<string, string | string[]>
        if (querystring) request.query = parseParameters('query', querystring, query, resolve, errors)
        if (isOperation) refuseUnknownNames(query, queryNames, errors)
        // Handlers read headers as text.
        if (headers) parseParameters('header', headers, request.headers, resolve, errors)
        if (bodySchema && isValidBody) {
          const raw = request.body as RawBody | undefined
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
