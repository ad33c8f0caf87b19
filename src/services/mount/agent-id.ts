import type { IncomingMessage } from 'node:http'
import { Problem } from '../../contract/problem.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { AgentParameter } from '../document/document.ts'
import type { Found } from './table.ts'

/** The id of the agent in a request. Undefined if the operation declares none, or if the request has no UUID there. A request that
 * has the parameter more than once is refused: the service could read another id than the console. */
export function readAgentId({ operation, params }: Found, request: IncomingMessage): string | undefined {
  const { agent } = operation.declared
  if (!agent) return undefined
  const [value, ...more] = valuesOf(agent)
  if (more.length > 0) {
    const detail = `The request has the parameter ${agent.name} more than once. Send it once.`
    throw new Problem('bad_request', { detail })
  }
  const parsed = parseUuid(value ?? '')
  return parsed.ok ? parsed.uuid : undefined

  function valuesOf({ in: place, name }: AgentParameter): (string | undefined)[] {
    if (place === 'path') return [params[`p${operation.parameterNames.indexOf(name)}`]]
    if (place === 'header') return request.headersDistinct[name] ?? []
    return new URLSearchParams(/\?([^#]*)/.exec(request.url ?? '')?.[1]).getAll(name)
  }
}
