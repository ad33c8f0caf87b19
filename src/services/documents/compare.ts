import { type Comparison, compareSchemas, type Direction } from './compare-schemas.ts'
import { parametersOf } from './parameters.ts'
import type { Prepared, PreparedOperation } from './prepared.ts'
import { isNode, type Node, nodeAt, resolve, textOf } from './tree.ts'

/** What in a new document breaks callers of the one before, a sentence each. The measure is oasdiff's, with which a test
 * compares it: oasdiff itself is a program that exists for few machines. */
export function findBreakingChanges(before: Prepared, after: Prepared): string[] {
  const now = new Map(after.operations.map((operation) => [slotOf(operation), operation]))
  return before.operations.flatMap((operation) => {
    const place = `${operation.method} ${operation.path}`
    const successor = now.get(slotOf(operation))
    if (!successor) return [`${place}: it is gone.`]
    const changes = new Set<string>()
    compareOperations(before, after, operation, successor, (change) => changes.add(`${place}: ${change}.`))
    return [...changes]
  })
}

/** Parameters of a path may be renamed: a caller does not see it. */
function slotOf({ method, path }: PreparedOperation): string {
  return `${method} ${path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '{}')}`
}

function compareOperations(
  before: Prepared,
  after: Prepared,
  old: PreparedOperation,
  now: PreparedOperation,
  report: (change: string) => void,
): void {
  const [oldItem, nowItem] = [nodeAt(before.paths, old.path), nodeAt(after.paths, now.path)]
  const oldOperation = nodeAt(oldItem, old.method.toLowerCase())
  const nowOperation = nodeAt(nowItem, now.method.toLowerCase())
  const comparison = (direction: Direction, of: string): Comparison => ({
    before: { paths: before.paths, components: before.components },
    after: { paths: after.paths, components: after.components },
    direction,
    report: (fault) => report(`${of}, ${fault}`),
    met: new Set(),
  })
  compareParameters(comparison('sent', 'request'), [oldItem, oldOperation], [nowItem, nowOperation])
  compareBodies(comparison('sent', 'request'), oldOperation, nowOperation)
  compareAnswers((status) => comparison('received', `answer ${status}`), oldOperation, nowOperation)
}

function compareParameters(
  comparison: Comparison,
  [oldItem, oldOperation]: [Node, Node],
  [nowItem, nowOperation]: [Node, Node],
): void {
  const { before, after, report } = comparison
  const old = parametersByName(before, oldItem, oldOperation)
  for (const [name, parameter] of parametersByName(after, nowItem, nowOperation)) {
    const predecessor = old.get(name)
    const wasRequired = predecessor?.['required'] === true || predecessor?.['in'] === 'path'
    if (parameter['required'] === true && !wasRequired && parameter['in'] !== 'path') {
      report(`the ${name} is now required`)
    }
    if (!predecessor) continue
    compareSchemas(comparison, predecessor['schema'], parameter['schema'], `the ${name}`)
    compareDefaults(comparison, predecessor, parameter, name)
  }
}

function compareDefaults({ before, after, report }: Comparison, old: Node, now: Node, name: string): void {
  const [from, to] = [resolve(before, old['schema']) ?? {}, resolve(after, now['schema']) ?? {}]
  if (JSON.stringify(from['default']) !== JSON.stringify(to['default'])) {
    report(`the default of the ${name} changed`)
  }
}

function parametersByName(document: Node, item: Node, operation: Node): Map<string, Node> {
  let place = 0
  return new Map(
    parametersOf(document, item, operation).map((parameter) => {
      // A parameter of the path is known by its place: its name may change.
      const name = parameter['in'] === 'path' ? `${++place}` : textOf(parameter['name'])
      return [`${textOf(parameter['in'])} parameter ${name}`, parameter]
    }),
  )
}

function compareBodies(comparison: Comparison, oldOperation: Node, nowOperation: Node): void {
  const { before, after, report } = comparison
  const old = resolve(before, oldOperation['requestBody'])
  const now = resolve(after, nowOperation['requestBody'])
  if (now?.['required'] === true && old?.['required'] !== true) report('the body is now required')
  if (old && !now) report('the body is gone')
  if (old && now) compareContents(comparison, old, now)
}

function compareAnswers(
  comparisonFor: (status: string) => Comparison,
  oldOperation: Node,
  nowOperation: Node,
): void {
  const now = nodeAt(nowOperation, 'responses')
  for (const [status, answer] of Object.entries(nodeAt(oldOperation, 'responses'))) {
    const comparison = comparisonFor(status)
    const { before, after, report } = comparison
    if (!Object.hasOwn(now, status)) {
      if (status.startsWith('2')) report('it is gone')
      continue
    }
    const [oldAnswer, nowAnswer] = [resolve(before, answer) ?? {}, resolve(after, now[status]) ?? {}]
    compareContents(comparison, oldAnswer, nowAnswer)
    for (const [name, header] of Object.entries(nodeAt(oldAnswer, 'headers'))) {
      if (resolve(before, header)?.['required'] !== true) continue
      const successor = resolve(after, nodeAt(nowAnswer, 'headers')[name])
      if (successor?.['required'] !== true) report(`the header ${name} may now be absent`)
    }
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
