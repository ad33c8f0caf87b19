import { type LintProblem, lint } from './lint.ts'
import { neutralise } from './neutral.ts'
import { isNode, listAt, type Node, nodeAt, segmentsOf, valueAt } from './tree.ts'

const MOST_PASSES = 8

/** Lints a document and mends what can be mended without changing what a caller may send or will get. What
 * remains are the faults it is refused for. */
export async function mend(document: Node): Promise<LintProblem[]> {
  let problems = await lint(document)
  for (let pass = 0; pass < MOST_PASSES && problems.length > 0; pass++) {
    // From the end of a list to its start, so that no place moves before its turn.
    const inOrder = problems.toSorted((a, b) => b.pointer.localeCompare(a.pointer, 'en', { numeric: true }))
    const mended = inOrder.filter((problem) =>
      MENDS[problem.rule]?.(document, segmentsOf(problem.pointer), problem),
    )
    if (mended.length === 0) break
    neutralise(document)
    problems = await lint(document)
  }
  return problems
}

/** Answers whether anything was changed. */
type Mend = (document: Node, place: string[], problem: LintProblem) => boolean

const remove: Mend = (document, place) => {
  const parent = valueAt(document, place.slice(0, -1))
  const key = place.at(-1) as string
  if (Array.isArray(parent)) return parent.splice(Number(key), 1).length > 0
  return isNode(parent) && Object.hasOwn(parent, key) && delete parent[key]
}

/** An example that does not fit helps nobody. The fault may lie deep inside of it. */
const removeExample: Mend = (document, place, problem) => {
  const one = place.lastIndexOf('example')
  const many = place.lastIndexOf('examples')
  if (one < 0 && many < 0) return false
  return remove(document, place.slice(0, Math.max(one + 1, many + 2)), problem)
}

/** The linter looks for references where OpenAPI has only data. */
const removeData: Mend = (document, place, problem) => {
  const extension = place.findIndex((segment) => segment.startsWith('x-'))
  if (extension < 0) return removeExample(document, place, problem)
  return remove(document, place.slice(0, extension + 1), problem)
}

/** Other answers than the declared ones come back as well: that is the truth about every operation. */
const addAnswer =
  (status: string): Mend =>
  (document, place) => {
    const responses = valueAt(document, place)
    if (!isNode(responses)) return false
    responses[status] = { description: 'Any other answer' }
    return true
  }

const addProperty: Mend = (document, place) => {
  const [, keyword] = place.slice(-2).toReversed()
  const schema = valueAt(document, place.slice(0, -2))
  const name = valueAt(document, place)
  if (keyword !== 'required' || !isNode(schema) || typeof name !== 'string') return false
  schema['properties'] = { ...nodeAt(schema, 'properties'), [name]: {} }
  return true
}

/** Alternatives that overlap are no longer said to exclude each other: what fits exactly one of them still fits. */
const loosen: Mend = (document, place) => {
  const schema = valueAt(document, place.slice(0, -1))
  if (place.at(-1) !== 'oneOf' || !isNode(schema) || 'anyOf' in schema) {
    // A discriminator cannot name what stands inline.
    const holder = valueAt(document, place.slice(0, -2))
    return isNode(holder) && isNode(holder['discriminator']) && delete holder['discriminator']
  }
  schema['anyOf'] = listAt(schema, 'oneOf')
  return delete schema['oneOf']
}

/** Words that OpenAPI does not know have no meaning to lose. */
const removeUnknown: Mend = (document, place, problem) =>
  problem.message.endsWith('is not expected here.') && remove(document, place, problem)

/** A callback is described like an operation, and is none of the console's. */
const complete: Mend = (document, place) => {
  const operation = valueAt(
    document,
    ['operationId', 'summary'].includes(place.at(-1) as string) ? place.slice(0, -1) : place,
  )
  if (!isNode(operation)) return false
  operation['summary'] ||= place.slice(-2).toReversed().join(' ')
  operation['operationId'] ||= place.join('_').replaceAll(/[^\w.-]+/g, '_')
  return true
}

const MENDS: Record<string, Mend> = {
  'no-duplicated-enum-values': remove,
  'no-enum-type-mismatch': (document, place, problem) =>
    place.at(-2) === 'enum' && remove(document, place, problem),
  'no-example-value-and-externalValue': removeExample,
  'no-illogical-composition-keywords': loosen,
  'no-invalid-media-type-examples': removeExample,
  'no-invalid-parameter-examples': removeExample,
  'no-invalid-schema-examples': removeExample,
  'no-required-schema-properties-undefined': addProperty,
  'no-schema-type-mismatch': remove,
  'no-unresolved-refs': removeData,
  'no-unsafe-markdown': remove,
  'no-unused-components': remove,
  'operation-2xx-response': addAnswer('default'),
  'operation-4xx-response': addAnswer('4XX'),
  'operation-operationId': complete,
  'operation-parameters-unique': remove,
  'operation-summary': complete,
  struct: removeUnknown,
}
