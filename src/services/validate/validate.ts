import { validate } from '@scalar/openapi-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { DocumentInvalid, MAX_FAULTS } from '../document/invalid.ts'
import { isNode, type Node, nodeAt, pointerTo, resolve, segmentsOf, valueAt, walk } from '../document/tree.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

// The first call compiles the schemas, before a document waits for it.
validate({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })
void ajv.validateSchema({})

/** Refuses a document that is not valid by the OpenAPI 3.1 schema, or whose references do not resolve inside it. */
export function validateDocument(document: Node): void {
  const faults = (validate(document).errors ?? []).map(
    ({ message, path }) => `${message.trim()} (#${String(path)})`,
  )
  if (faults.length === 0) faults.push(...partFaults(document))
  if (faults.length > 0) throw new DocumentInvalid(...new Set(faults.slice(0, MAX_FAULTS)))
}

/** What the OpenAPI schema does not check: the JSON Schemas inside the document, and its references. */
function partFaults(document: Node): Set<string> {
  const faults = new Set<string>()
  const checkSchema = (schema: unknown) => {
    if (!isNode(schema) || ajv.validateSchema(schema) === true) return
    const [error] = ajv.errors ?? []
    faults.add(`${error?.message} (${placeOf(document, schema)}${error?.instancePath})`)
  }
  Object.values(nodeAt(nodeAt(document, 'components'), 'schemas')).forEach(checkSchema)
  walk(document, (node) => {
    checkSchema(node['schema'])
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (typeof node[keyword] === 'string') faults.add(`It uses ${keyword}, which is not supported.`)
    }
    const reference = node['$ref']
    if (typeof reference !== 'string') return
    if (!reference.startsWith('#/')) faults.add(`The reference ${reference} leads out of the document.`)
    // `true` and `false` are schemas.
    else if (!resolve(document, node) && typeof valueAt(document, segmentsOf(reference)) !== 'boolean')
      faults.add(`The reference ${reference} leads nowhere.`)
  })
  return faults
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
