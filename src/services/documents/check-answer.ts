import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Prepared } from './prepared.ts'
import { copyOf, isNode, listAt, type Node, nodeAt, resolve, textOf, walk } from './tree.ts'

/** An answer as it came from a service. */
export interface Answer {
  readonly method: string
  /** As declared: `/v1/teams/{id}`. */
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** How an answer differs from what is declared, in words that repeat nothing of it; undefined where it does not, or
 * where nothing is declared about it. */
export type CheckAnswer = (answer: Answer) => string | undefined

/** Checks answers against one document. Each schema is compiled when the first answer to it comes. */
export function createAnswerCheck(prepared: Prepared): CheckAnswer {
  const { operations } = prepared
  const { paths, components } = copyOf({ paths: prepared.paths, components: prepared.components })
  walk([paths, Object.values(components).map((section) => Object.values(section))], (schema) =>
    requireOfAnswers(schema, { paths, components }),
  )
  const added = new Set(
    operations.flatMap(({ method, path, consoleStatuses }) =>
      consoleStatuses.map((status) => `${method} ${path} ${status}`),
    ),
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false })
  const compiled = new Map<unknown, ValidateFunction>()
  const validatorOf = (schema: Node) => {
    // What the schema refers to is looked for from the root of what is compiled.
    const validate = compiled.get(schema) ?? ajv.compile({ allOf: [schema], paths, components })
    compiled.set(schema, validate)
    return validate
  }

  return ({ method, path, status, contentType, bytes }) => {
    const responses = nodeAt(nodeAt(nodeAt(paths, path), method.toLowerCase()), 'responses')
    const declared = [`${status}`, `${status}`.replace(/..$/, 'XX'), 'default'].find(
      // What the console may answer is nothing that the service declares.
      (key) => key in responses && !added.has(`${method} ${path} ${key}`),
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

/** What is only ever sent is not required of an answer. */
function requireOfAnswers(schema: Node, document: Node): void {
  if (!Array.isArray(schema['required'])) return
  const properties = nodeAt(schema, 'properties')
  const isSent = (name: unknown) => resolve(document, properties[textOf(name)])?.['writeOnly'] === true
  schema['required'] = listAt(schema, 'required').filter((name) => !isSent(name))
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
