import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'

interface Referring {
  $ref?: string
}
interface DeclaredResponse extends Referring {
  content?: Record<string, { schema?: object }>
}
export interface OpenApiDocument {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, DeclaredResponse> }>>
}

export interface Answered {
  status: number
  type: string | null
  text: string
}

/** Says how an answer differs from what a document declares for the operation. Empty when it does not. */
export function createDeclaration(document: OpenApiDocument) {
  // OpenAPI 3.0 says `exclusiveMinimum: true`, which no later schema knows; `nullable` Ajv understands.
  const schemas = JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      key === 'exclusiveMinimum' && value === true ? undefined : value,
    ),
  ) as OpenApiDocument
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(schemas, 'document')

  return (method: string, path: string, { status, type, text }: Answered): string[] => {
    const operation = schemas.paths[path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${path} is not declared`)
    const range = `${String(status)[0]}XX`
    const key = String(status) in operation.responses ? String(status) : range
    const declared = operation.responses[key]
    if (!declared) return [`${status} is not declared`]
    const pointer =
      declared.$ref?.slice(1) ?? `/paths/${escape(path)}/${method.toLowerCase()}/responses/${key}`
    const response = at(schemas, pointer) as DeclaredResponse
    if (!response.content) return text === '' ? [] : ['a body is not declared']
    const media = response.content[type ?? '']
    if (!media) return [`${type} is not declared`]
    if (!media.schema || !type?.includes('json')) return []
    const check = ajv.compile({ $ref: `document#${pointer}/content/${escape(type)}/schema` })
    return check(JSON.parse(text)) ? [] : (check.errors ?? []).map((e) => `${e.instancePath} ${e.message}`)
  }
}

const escape = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

function at(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>((part, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
    return (part as Record<string, unknown>)[name]
  }, value)
}
