import type { DeclaredOperation, PublishedParts } from '../document/prepared.ts'
import { isNode, type Node, nodeAt, resolve, textOf } from '../document/tree.ts'
import { parametersOf, slotOf } from '../select/operations.ts'
import { type Comparison, compareSchemas, type Direction } from './compare-schemas.ts'

interface Compared extends PublishedParts {
  operations: readonly DeclaredOperation[]
}

/** What in a new document breaks callers of the one before, a sentence each. The rules are oasdiff's, and a test compares the
 * two: oasdiff itself is a program for a few platforms only. */
export function findBreakingChanges(before: Compared, after: Compared): string[] {
  // Callers do not see the name of a path parameter: it may change.
  const slot = ({ method, path }: DeclaredOperation) => slotOf(method, path)
  const now = new Map(after.operations.map((operation) => [slot(operation), operation]))
  return before.operations.flatMap((operation) => {
    const place = `${operation.method} ${operation.path}`
    const successor = now.get(slot(operation))
    if (!successor) return [`${place}: it is gone.`]
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

function compareOperations(old: Side, now: Side, report: (change: string) => void): void {
  const comparison = (direction: Direction, part: string): Comparison => ({
    before: old.document,
    after: now.document,
    direction,
    report: (change) => report(`${part}, ${change}`),
    compared: new Set(),
  })
  compareParameters(comparison('sent', 'request'), old, now)
  compareBodies(comparison('sent', 'request'), old, now)
  const responses = nodeAt(now.operation, 'responses')
  for (const [status, response] of Object.entries(nodeAt(old.operation, 'responses'))) {
    const received = comparison('received', `response ${status}`)
    if (Object.hasOwn(responses, status)) compareResponses(received, response, responses[status])
    else if (status.startsWith('2')) received.report('it is gone')
  }
}

function compareParameters(comparison: Comparison, old: Side, now: Side): void {
  const { before, after, report } = comparison
  for (const [name, parameter] of now.parameters) {
    const predecessor = old.parameters.get(name)
    if (parameter['required'] === true && predecessor?.['required'] !== true && parameter['in'] !== 'path') {
      report(`the ${name} is now required`)
    }
    if (!predecessor) continue
    compareSchemas(comparison, predecessor['schema'], parameter['schema'], `the ${name}`)
    const [from, to] = [resolve(before, predecessor['schema']), resolve(after, parameter['schema'])]
    if (JSON.stringify(from?.['default']) !== JSON.stringify(to?.['default'])) {
      report(`the default of the ${name} changed`)
    }
  }
}

function compareBodies(comparison: Comparison, old: Side, now: Side): void {
  const { report } = comparison
  const before = resolve(old.document, old.operation['requestBody'])
  const after = resolve(now.document, now.operation['requestBody'])
  if (after?.['required'] === true && before?.['required'] !== true) report('the body is now required')
  if (before && !after) report('the body is gone')
  if (before && after) compareContents(comparison, before, after)
}

function compareResponses(comparison: Comparison, response: unknown, successor: unknown): void {
  const { before, after, report } = comparison
  const [old, now] = [resolve(before, response) ?? {}, resolve(after, successor) ?? {}]
  compareContents(comparison, old, now)
  for (const [name, header] of Object.entries(nodeAt(old, 'headers'))) {
    if (resolve(before, header)?.['required'] !== true) continue
    const isRequired = resolve(after, nodeAt(now, 'headers')[name])?.['required'] === true
    if (!isRequired) report(`the header ${name} may now be absent`)
  }
}

function compareContents(comparison: Comparison, old: Node, now: Node): void {
  const nowContent = nodeAt(now, 'content')
  for (const [mediaType, content] of Object.entries(nodeAt(old, 'content'))) {
    const successor = nowContent[mediaType]
    if (!isNode(successor)) comparison.report(`${mediaType} is gone`)
    else if (isNode(content)) compareSchemas(comparison, content['schema'], successor['schema'], 'the body')
  }
}
