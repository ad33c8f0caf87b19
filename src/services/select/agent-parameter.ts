import type { AgentParameter, DeclaredOperation } from '../document/prepared.ts'
import { isNode, type Node } from '../document/tree.ts'

/** The extension by which an operation names its agent. */
const EXTENSION = 'x-console-agent'

const PLACES = ['path', 'query', 'header'] as const

/** Which parameter of an operation has the id of the agent that the service will call; undefined if it declares none. Adds a sentence
 * to `faults` if the declaration is not valid. */
export function readAgentParameter(
  operation: Node,
  { method, path }: Pick<DeclaredOperation, 'method' | 'path'>,
  parameters: readonly Node[],
  faults: string[],
): AgentParameter | undefined {
  const declared = operation[EXTENSION]
  if (declared === undefined) return undefined
  const where = `${EXTENSION} of ${method} ${path}`
  const { in: declaredPlace, name } = isNode(declared) ? declared : {}
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
