import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { PublishedParts } from '../document/prepared.ts'
import { isNode, listAt, type Node, nodeAt, resolve, textOf, walk } from '../document/tree.ts'
import { isConsoleResponse } from '../select/console-responses.ts'

/** A response as the service sent it. */
export interface SampledResponse {
  readonly method: string
  /** As declared: `/v1/teams/{id}`. */
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Describes how a response differs from the document, without quoting it. Undefined if it does not differ or nothing is
 * declared. */
export type CheckResponse = (response: SampledResponse) => string | undefined

/** Checks responses against one document. Schemas are compiled on first use. */
export function createResponseCheck(parts: PublishedParts): CheckResponse {
  const { paths, components } = structuredClone({ paths: parts.paths, components: parts.components })
  walk({ paths, components }, (schema) => dropWriteOnlyFromRequired(schema, { paths, components }))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false })
  const compiled = new Map<unknown, ValidateFunction>()
  const validatorOf = (schema: Node) => {
    // References in the schema resolve from the root of what is compiled.
    const validate = compiled.get(schema) ?? ajv.compile({ allOf: [schema], paths, components })
    compiled.set(schema, validate)
    return validate
  }

  return ({ method, path, status, contentType, bytes }) => {
    const responses = nodeAt(nodeAt(nodeAt(paths, path), method.toLowerCase()), 'responses')
    const declared = [`${status}`, `${status}`.replace(/..$/, 'XX'), 'default'].find(
      (key) => key in responses && !isConsoleResponse(responses[key]),
    )
    if (declared === undefined) return status < 300 ? `The status ${status} is not declared.` : undefined
    const content = nodeAt(resolve({ components }, responses[declared]) ?? {}, 'content')
    if (Object.keys(content).length === 0) return undefined
    const mediaType = findMediaType(content, contentType)
    if (mediaType === undefined) return `The media type is not declared for the status ${status}.`
    const { schema } = nodeAt(content, mediaType)
    if (!isNode(schema)) return undefined
    const value = parse(bytes)
    if (value === undefined) return 'It is not JSON.'
    const validate = validatorOf(schema)
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    return `It ${error?.message} (${error?.schemaPath.replace('#/allOf/0', '#')}).`
  }
}

/** `writeOnly` properties are not required in a response. */
function dropWriteOnlyFromRequired(schema: Node, document: Node): void {
  if (!Array.isArray(schema['required'])) return
  const properties = nodeAt(schema, 'properties')
  const isWriteOnly = (name: unknown) => resolve(document, properties[textOf(name)])?.['writeOnly'] === true
  schema['required'] = listAt(schema, 'required').filter((name) => !isWriteOnly(name))
}

function findMediaType(content: Node, contentType: string): string | undefined {
  const essence = (text: string) => (text.toLowerCase().split(';', 1)[0] as string).trim()
  const wanted = essence(contentType)
  const candidates = [wanted, `${wanted.split('/', 1)[0]}/*`, '*/*']
  return Object.keys(content).find((key) => candidates.includes(essence(key)))
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
