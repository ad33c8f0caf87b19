import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { upgrade } from '@scalar/openapi-upgrader'
import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { Refusal, UUID } from './exchange.ts'

interface Parameter {
  name: string
  in: 'query' | 'header' | 'path'
  required?: boolean
  schema: AnySchema
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: AnySchema }> }
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

/** Reads the inputs of an operation; throws a Refusal if they are not as declared. */
export type ReadInputs = (
  request: IncomingMessage,
  query: URLSearchParams,
) => Promise<{ query: unknown; body: unknown }>

/** Checks requests against the document of a service. */
export function createContract(documentText: string): (route: string) => ReadInputs {
  const document = upgrade(JSON.parse(documentText), '3.1') as unknown as Document
  const options = {
    strict: false,
    useDefaults: true,
    formats: { uuid: UUID, uri: (url: string) => URL.canParse(url), email: true } as const,
  }
  const ofBodies = new Ajv2020(options).addSchema(document, 'document')
  const ofTexts = new Ajv2020({ ...options, coerceTypes: true })

  return (route) => {
    const [method = '', path = ''] = route.split(' ')
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {}
    const declared = parameters.filter((parameter) => parameter.in !== 'path')
    const checkQuery = ofTexts.compile({
      type: 'object',
      required: declared.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(declared.map(({ name, schema }) => [name, schema])),
    })
    const hasBody = requestBody?.content['application/json'] !== undefined
    const pointer = `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
    const checkBody = hasBody && ofBodies.compile({ $ref: `document#${encodeURI(pointer)}` })

    return async (request, query) => {
      const values = declared.map((parameter) => [
        parameter.name,
        parameter.in === 'header'
          ? request.headers[parameter.name.toLowerCase()]
          : (query.get(parameter.name) ?? undefined),
      ])
      const given = Object.fromEntries(values.filter(([, value]) => value !== undefined))
      const body = checkBody ? checked(checkBody, parse(await text(request))) : undefined
      return { query: checked(checkQuery, given), body }
    }
  }
}

function checked(check: ValidateFunction, value: unknown): unknown {
  if (check(value)) return value
  const [{ instancePath, message, params }] = check.errors as [ErrorObject]
  const field = instancePath.split('/')[1] ?? params['missingProperty'] ?? params['additionalProperty']
  throw new Refusal(422, `${instancePath.slice(1)} ${message}`.trim(), { field })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Refusal(422, 'The body must be JSON')
  }
}
