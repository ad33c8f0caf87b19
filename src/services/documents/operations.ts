import { isClaimed } from '../claims.ts'
import { readTemplate } from '../mount/template.ts'
import type { Service } from '../service.ts'
import { consoleStatuses } from './console-answers.ts'
import { METHODS, type Method } from './methods.ts'
import { parametersOf, withParameters } from './parameters.ts'
import type { PreparedOperation } from './prepared.ts'
import { copyOf, isNode, type Node, nodeAt, resolve, textOf } from './tree.ts'

interface Selection {
  paths: Node
  operations: PreparedOperation[]
  leftOut: string[]
}

/** The operations of a document that the service may have, each completed by what the console knows about it. */
export function selectOperations(document: Node, service: Service): Selection {
  const paths: Node = {}
  const operations: PreparedOperation[] = []
  const leftOut: string[] = []
  const taken = new Map<string, string>()
  const ids = new Set<string>()

  for (const [path, declared] of Object.entries(nodeAt(document, 'paths'))) {
    const item = withParameters(document, path, readPathItem(document, declared))
    const mounted: Node = {}
    for (const method of [...METHODS, 'trace'].filter((name) => isNode(item[name]))) {
      const place = `${method.toUpperCase()} ${path}`
      const slot = `${method} ${path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '{}')}`
      const fault = findFault(path, method, service, taken.get(slot))
      if (fault) {
        leftOut.push(`${place} is left out: ${fault}.`)
        continue
      }
      taken.set(slot, place)
      const operation = completed(item[method] as Node, place, ids)
      mounted[method] = operation
      operations.push(describe(document, service, path, method.toUpperCase() as Method, item, operation))
    }
    if (Object.keys(mounted).length > 0) paths[path] = { ...commonOf(item), ...mounted }
  }
  setConsoleParts(paths, operations, service)
  return { paths, operations, leftOut }
}

function findFault(
  path: string,
  method: string,
  service: Service,
  twin: string | undefined,
): string | undefined {
  if (!isClaimed(path, service.prefixes)) return `it is outside the prefixes of ${service.name}`
  if (method === 'trace') return 'the console passes no TRACE on'
  if (twin) return `it is the same path as ${twin}`
  try {
    readTemplate(path)
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

/** A path may be described in a component. */
function readPathItem(document: Node, declared: unknown): Node {
  if (!isNode(declared)) return {}
  if (typeof declared['$ref'] !== 'string') return declared
  const { $ref: _, ...own } = declared
  return { ...copyOf(resolve(document, declared)), ...own }
}

/** What all methods of a path share. */
function commonOf({ summary, description, parameters }: Node): Node {
  return {
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    parameters,
  }
}

/** An operationId as generators of clients can take it. */
export function spelledId(operationId: unknown): string {
  return textOf(operationId).replaceAll(/[^\w.-]+/g, '_')
}

function completed(declared: Node, place: string, ids: Set<string>): Node {
  const { servers: _, tags: __, security: ___, ...operation } = declared
  const wanted = spelledId(textOf(operation['operationId']) || place.toLowerCase())
  let operationId = wanted
  for (let twin = 2; ids.has(operationId); twin++) operationId = `${wanted}_${twin}`
  ids.add(operationId)
  return {
    ...operation,
    operationId,
    summary: operation['summary'] || place,
    responses: isNode(operation['responses']) ? operation['responses'] : {},
  }
}

function describe(
  document: Node,
  service: Service,
  path: string,
  method: Method,
  item: Node,
  operation: Node,
): PreparedOperation {
  const responses = nodeAt(operation, 'responses')
  const isCapped = service.maxRequestBytes !== undefined && isNode(operation['requestBody'])
  return {
    service: service.name,
    method,
    path,
    operationId: operation['operationId'] as string,
    requestHeaders: unique(
      parametersOf(document, item, operation)
        .filter((parameter) => parameter['in'] === 'header')
        .map(({ name }) => textOf(name)),
    ),
    responseHeaders: unique(
      Object.values(responses).flatMap((response) =>
        Object.keys(nodeAt(resolve(document, response) ?? {}, 'headers')),
      ),
    ),
    redirects: Object.keys(responses).some((status) => status.startsWith('3') && status !== '304'),
    consoleStatuses: consoleStatuses(path, isCapped, responses),
  }
}

function unique(names: string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))]
}

/** Whose operations these are, who may call them, and that the console may answer in the service's place. */
function setConsoleParts(paths: Node, operations: PreparedOperation[], { tag }: Service): void {
  for (const { path, method, consoleStatuses: statuses } of operations) {
    const operation = nodeAt(nodeAt(paths, path), method.toLowerCase())
    const answers = Object.fromEntries(
      statuses.map((status) => [status, { description: 'Answered by the console' }]),
    )
    Object.assign(operation, {
      tags: [tag],
      security: [{ bearer: [] }],
      responses: { ...answers, ...nodeAt(operation, 'responses') },
    })
  }
}
