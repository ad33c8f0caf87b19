import { isRead } from '../../../api/operation.ts'
import { isUnderPrefix, type Service } from '../../../config/services-file.ts'
import { isObject } from '../../../platform/json.ts'
import { readTemplate } from '../mount/template.ts'
import {
  type AgentParameter,
  type DeclaredOperation,
  DocumentInvalid,
  listAt,
  MAX_ERRORS,
  METHODS,
  type Method,
  type Node,
  nodeAt,
  resolve,
  textOf,
} from './document.ts'

/** An operation that will be mounted, before it has its published id. */
export interface SelectedOperation {
  readonly declared: Omit<DeclaredOperation, 'operationId'>
  /** Where it stands in the selected paths. */
  readonly node: Node
}

interface Selection {
  paths: Node
  operations: SelectedOperation[]
  leftOut: string[]
}

/** The operations of a document that the console mounts for the service. Throws DocumentInvalid for a fault in what
 * they declare for the console. */
export function selectOperations(document: Node, service: Service): Selection {
  const paths: Node = {}
  const operations: SelectedOperation[] = []
  const leftOut: string[] = []
  const faults: string[] = []
  const taken = new Map<string, string>()

  for (const [path, declared] of Object.entries(nodeAt(document, 'paths'))) {
    const item = readPathItem(document, declared)
    for (const method of [...METHODS, 'trace'].filter((name) => isObject(item[name]))) {
      const place = `${method.toUpperCase()} ${path}`
      const key = routeKey(method, path)
      const reason = findReason(path, method, service, taken.get(key))
      if (reason) {
        leftOut.push(`${place} is left out: ${reason}.`)
        delete item[method]
        continue
      }
      taken.set(key, place)
      const own = item[method] as Node
      const known = { service: service.name, method: method.toUpperCase() as Method, path }
      const agent = readAgentParameter(own, known, parametersOf(document, item, own), faults)
      const description = describe(own, known.method, service, agent)
      const tags = [...new Set([service.tag, service.name])]
      const node: Node = { ...own, description, tags, security: [{ bearer: [] }] }
      item[method] = node
      paths[path] = item
      const headers = headersOf(document, item, node)
      operations.push({ node, declared: { ...known, ...headers, ...(agent ? { agent } : {}) } })
    }
  }
  if (faults.length > 0) throw new DocumentInvalid(...faults.slice(0, MAX_ERRORS))
  return { paths, operations, leftOut }
}

/** Its own description, and what the console demands, counts and records. */
function describe(operation: Node, method: string, service: Service, agent?: AgentParameter): string {
  const permission = isRead(method) ? service.readPermission : service.writePermission
  const needed =
    permission === undefined
      ? 'Needs a valid token with a team and a user; no particular permission.'
      : `Needs the permission \`${permission}\`.`
  const counted = agent
    ? ` Takes a permit from the request budget of the agent in \`${agent.name}\`, with the priority ` +
      `\`${service.budgetPriority}\`.`
    : ''
  const recorded = isRead(method) ? '' : ' The audit log records each call (`service_called`).'
  // A paragraph of its own: the other one may end with a list or a code block.
  return [textOf(operation['description']), needed + counted + recorded].filter(Boolean).join('\n\n')
}

/** Two operations with the same key match the same requests. */
function routeKey(method: string, path: string): string {
  return `${method} ${path.replace(/\/$/, '').replaceAll(/\{[^}]*\}/g, '{}')}`
}

/** Why an operation is not mounted; undefined where it is. */
function findReason(path: string, method: string, service: Service, duplicate?: string): string | undefined {
  if (!isUnderPrefix(path, service.prefixes)) return `it is outside the prefixes of ${service.name}`
  if (method === 'trace') return 'the console does not forward TRACE'
  if (duplicate) return `it matches the same requests as ${duplicate}`
  try {
    readTemplate(path)
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

/** A path may refer to a component. Several may refer to the same one, and later stages change each in place. */
function readPathItem(document: Node, declared: unknown): Node {
  if (!isObject(declared)) return {}
  const { $ref, ...own } = declared
  return $ref === undefined ? own : { ...structuredClone(resolve(document, declared)), ...own }
}

/** The parameters of a path item and of one of its operations. */
function parametersOf(document: Node, item: Node, operation: Node): Node[] {
  return [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')].flatMap((parameter): Node[] => [
    resolve(document, parameter) ?? {},
  ])
}

function headersOf(document: Node, item: Node, operation: Node) {
  const responses = nodeAt(operation, 'responses')
  const parameters = parametersOf(document, item, operation).filter((one) => one['in'] === 'header')
  const headersOfOne = (response: unknown) =>
    Object.keys(nodeAt(resolve(document, response) ?? {}, 'headers'))
  return {
    requestHeaders: lowerCased(parameters.map(({ name }) => textOf(name))),
    responseHeaders: lowerCased(Object.values(responses).flatMap(headersOfOne)),
    redirects: Object.keys(responses).some((status) => status.startsWith('3') && status !== '304'),
  }
}

const lowerCased = (names: string[]) => [...new Set(names.map((name) => name.toLowerCase()))]

/** The extension by which an operation names its agent. */
const EXTENSION = 'x-console-agent'

const PLACES = ['path', 'query', 'header'] as const

/** Which parameter of an operation has the id of the agent that the service will call; undefined if it declares none.
 * Adds a sentence to `faults` if the declaration is not valid. */
function readAgentParameter(
  operation: Node,
  { method, path }: Pick<DeclaredOperation, 'method' | 'path'>,
  parameters: readonly Node[],
  faults: string[],
): AgentParameter | undefined {
  const declared = operation[EXTENSION]
  if (declared === undefined) return undefined
  const where = `${EXTENSION} of ${method} ${path}`
  const { in: declaredPlace, name } = isObject(declared) ? declared : {}
  const place = PLACES.find((each) => each === declaredPlace)
  if (place === undefined || typeof name !== 'string') {
    faults.push(`${where} must be an object with \`in\` (path, query or header) and \`name\`.`)
    return undefined
  }
  const found = parameters.find(
    (parameter) => parameter['in'] === place && isSame(parameter['name'], name, place),
  )
  if (!found || (place === 'path' && !path.includes(`{${name}}`))) {
    faults.push(`${where} names the ${place} parameter ${name}, which the operation does not declare.`)
    return undefined
  }
  return { in: place, name: place === 'header' ? name.toLowerCase() : name }
}

function isSame(declared: unknown, name: string, place: AgentParameter['in']): boolean {
  return place === 'header' ? String(declared).toLowerCase() === name.toLowerCase() : declared === name
}
