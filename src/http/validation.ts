import { Ajv } from 'ajv'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { DECIMAL_PATTERN, isDecimal } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import { RequestInvalid } from '../contract/validation-error.ts'
import { readBody } from './body.ts'
import type { ReceivedBody } from './content.ts'
import { convertTexts } from './convert.ts'
import { INTEGER_LIMITS, type JsonSchema } from './explain.ts'
import { FaultList } from './faults.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's own bytes, for a handler that passes them on. */
    bodyBytes: Buffer | undefined
  }
}

type NamedSchema = TSchema & { $id?: string }

interface RequestSchemas {
  params?: JsonSchema
  querystring?: JsonSchema
  headers?: JsonSchema
  body?: JsonSchema
}

/** Checks path, query, headers and body of a request together and reports every fault at once. Fastify would stop at
 * the first part that is wrong, so its own validation is switched off. */
export const validation = fp(
  async (app, { schemas }: { schemas: NamedSchema[] }) => {
    const ajv = createAjv(schemas)
    const byRef = new Map(schemas.map((schema) => [`${schema.$id}#`, schema as JsonSchema]))
    const resolve = (ref: string): JsonSchema => {
      const schema = byRef.get(ref)
      if (!schema) throw new Error(`The contract has no schema ${ref}`)
      return schema
    }

    app.setValidatorCompiler(() => () => true)
    app.decorateRequest('bodyBytes', undefined)
    app.addHook('onRoute', (route) => {
      const { params, querystring, headers, body } = (route.schema ?? {}) as RequestSchemas
      if (!params && !querystring && !headers && !body) return
      const bodySchema = body?.$ref ? resolve(body.$ref) : body
      const isValidBody = body ? ajv.compile(body) : undefined

      const validate = async (request: FastifyRequest) => {
        const faults = new FaultList()
        if (params) {
          request.params = convertTexts(
            'path',
            params,
            request.params as Record<string, string>,
            resolve,
            faults,
          )
        }
        if (querystring) {
          const given = request.query as Record<string, string | string[]>
          request.query = convertTexts('query', querystring, given, resolve, faults)
        }
        // Only checked: a handler reads headers as they came.
        if (headers) convertTexts('header', headers, request.headers, resolve, faults)
        if (bodySchema && isValidBody) {
          const received = request.body as ReceivedBody | undefined
          request.bodyBytes = received?.bytes
          request.body = readBody(bodySchema, isValidBody, received, resolve, faults)
        }
        if (faults.faults.length > 0) throw new RequestInvalid(faults.faults)
      }
      route.preValidation = [validate, ...[route.preValidation ?? []].flat()]
    })
  },
  { name: 'validation' },
)

/** Strict: what the document declares is what is accepted. */
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
      ...Object.fromEntries(
        Object.entries(INTEGER_LIMITS).map(([name, limit]) => [
          name,
          { type: 'number', validate: (value: number) => Math.abs(value) <= limit },
        ]),
      ),
    },
    // The published pattern of a decimal is cubic; the same language is checked in linear time.
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
