import { validate } from '@scalar/openapi-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { DocumentInvalid, MAX_ERRORS } from '../document/invalid.ts'
import { isNode, type Node, nodeAt, pointerTo, resolve, segmentsOf, valueAt, walk } from '../document/tree.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

// Compiles the schemas when the module loads.
validate({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })
void ajv.validateSchema({})

/** Refuses a document that is not valid by the OpenAPI 3.1 schema, or whose references do not resolve inside it. */
export function validateDocument(document: Node): void {
  const errors = (validate(document).errors ?? []).map(
    ({ message, path }) => `${message.trim()} (#${String(path)})`,
  )
  if (errors.length === 0) errors.push(...findPartErrors(document))
  if (errors.length > 0) throw new DocumentInvalid(...new Set(errors.slice(0, MAX_ERRORS)))
}

/** What the OpenAPI schema does not check: the JSON Schemas inside the document, and its references. */
function findPartErrors(document: Node): Set<string> {
  const errors = new Set<string>()
  const checkSchema = (schema: unknown) => {
    if (!isNode(schema) || ajv.validateSchema(schema) === true) return
    const [error] = ajv.errors ?? []
    errors.add(`${error?.message} (${placeOf(document, schema)}${error?.instancePath})`)
  }
  Object.values(nodeAt(nodeAt(document, 'components'), 'schemas')).forEach(checkSchema)
  walk(document, (node) => {
    checkSchema(node['schema'])
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (typeof node[keyword] === 'string') errors.add(`It uses ${keyword}, which is not supported.`)
    }
    const reference = node['$ref']
    if (typeof reference !== 'string') return
    if (!reference.startsWith('#/')) errors.add(`The reference ${reference} leads out of the document.`)
    // `true` and `false` are schemas.
    else if (!resolve(document, node) && typeof valueAt(document, segmentsOf(reference)) !== 'boolean')
      errors.add(`The reference ${reference} leads nowhere.`)
  })
  return errors
}

function placeOf(root: unknown, wanted: unknown, place: string[] = []): string | undefined {
  if (root === wanted) return pointerTo(...place)
  if (typeof root !== 'object' || root === null) return undefined
  for (const [key, value] of Object.entries(root)) {
    const found = placeOf(value, wanted, [...place, key])
    if (found !== undefined) return found
  }
  return undefined
}
