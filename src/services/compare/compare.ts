import type { DeclaredOperation, PublishedParts } from '../document/prepared.ts'
import { isNode, type Node, nodeAt, resolve, textOf } from '../document/tree.ts'
import { parametersOf, routeKey } from '../select/operations.ts'
import { type Comparison, compareSchemas, type Direction } from './compare-schemas.ts'

interface Compared extends PublishedParts {
  operations: readonly DeclaredOperation[]
}

/** The breaking changes of a new document, one sentence each. The rules are oasdiff's, and a test compares the
 * two: oasdiff itself is a program for a few platforms only. */
export function findBreakingChanges(before: Compared, after: Compared): string[] {
  // Callers do not see the name of a path parameter: it may change.
  const key = ({ method, path }: DeclaredOperation) => routeKey(method, path)
  const successors = new Map(after.operations.map((operation) => [key(operation), operation]))
  return before.operations.flatMap((operation) => {
    const place = `${operation.method} ${operation.path}`
    const successor = successors.get(key(operation))
    if (!successor) return [`${place}: the operation is gone.`]
    const changes = new Set<string>()
    compareOperations(sideOf(before, operation), sideOf(after, successor), (change) =>
      changes.add(`${place}: ${change}.`),
    )
    return [...changes]
  })
}

/** An operation in its document. */
interface Side {
  document: Node
  operation: Node
  parameters: Map<string, Node>
}

function sideOf({ paths, components }: Compared, { path, method }: DeclaredOperation): Side {
  const document = { paths, components }
  const item = nodeAt(paths, path)
  const operation = nodeAt(item, method.toLowerCase())
  let place = 0
  const parameters = parametersOf(document, item, operation).map((parameter) => {
    // A path parameter is matched by its place.
    const name = parameter['in'] === 'path' ? `${++place}` : textOf(parameter['name'])
    return [`${textOf(parameter['in'])} parameter ${name}`, parameter] as const
  })
  return { document, operation, parameters: new Map(parameters) }
}

function compareOperations(before: Side, after: Side, report: (change: string) => void): void {
  const comparison = (direction: Direction, part: string): Comparison => ({
    documents: { before: before.document, after: after.document },
    direction,
    report: (change) => report(`${part}, ${change}`),
    compared: new Set(),
  })
  compareParameters(comparison('sent', 'in the request'), before, after)
  compareBodies(comparison('sent', 'in the request'), before, after)
  const responses = nodeAt(after.operation, 'responses')
  for (const [status, response] of Object.entries(nodeAt(before.operation, 'responses'))) {
    const received = comparison('received', `in the response ${status}`)
    if (Object.hasOwn(responses, status)) compareResponses(received, response, responses[status])
    else if (status.startsWith('2')) report(`the response ${status} is gone`)
  }
}

function compareParameters(comparison: Comparison, before: Side, after: Side): void {
  const { documents, report } = comparison
  for (const [name, parameter] of after.parameters) {
    const predecessor = before.parameters.get(name)
    if (parameter['required'] === true && predecessor?.['required'] !== true && parameter['in'] !== 'path') {
      report(`the ${name} is now required`)
    }
    if (!predecessor) continue
    compareSchemas(comparison, predecessor['schema'], parameter['schema'], `the ${name}`)
    const beforeSchema = resolve(documents.before, predecessor['schema'])
    const afterSchema = resolve(documents.after, parameter['schema'])
    if (JSON.stringify(beforeSchema?.['default']) !== JSON.stringify(afterSchema?.['default'])) {
      report(`the default of the ${name} changed`)
    }
  }
}

function compareBodies(comparison: Comparison, before: Side, after: Side): void {
  const { report } = comparison
  const beforeBody = resolve(before.document, before.operation['requestBody'])
  const afterBody = resolve(after.document, after.operation['requestBody'])
  if (afterBody?.['required'] === true && beforeBody?.['required'] !== true)
    report('the body is now required')
  if (beforeBody && !afterBody) report('the body is gone')
  if (beforeBody && afterBody) compareContents(comparison, beforeBody, afterBody)
}

function compareResponses(comparison: Comparison, response: unknown, successor: unknown): void {
  const { documents, report } = comparison
  const before = resolve(documents.before, response) ?? {}
  const after = resolve(documents.after, successor) ?? {}
  compareContents(comparison, before, after)
  for (const [name, header] of Object.entries(nodeAt(before, 'headers'))) {
    if (resolve(documents.before, header)?.['required'] !== true) continue
    const isRequired = resolve(documents.after, nodeAt(after, 'headers')[name])?.['required'] === true
    if (!isRequired) report(`the header ${name} may now be absent`)
  }
}

function compareContents(comparison: Comparison, before: Node, after: Node): void {
  const afterContent = nodeAt(after, 'content')
  for (const [mediaType, content] of Object.entries(nodeAt(before, 'content'))) {
    const successor = afterContent[mediaType]
    if (!isNode(successor)) comparison.report(`${mediaType} is gone`)
    else if (isNode(content)) compareSchemas(comparison, content['schema'], successor['schema'], 'the body')
  }
}
