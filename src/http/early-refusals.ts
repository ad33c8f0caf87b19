import type { IncomingMessage, ServerResponse } from 'node:http'
import type { QueueRefusal } from '../platform/fairness/fair-queue.ts'
import type { Lane, Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem } from '../platform/fairness/place.ts'
import type { LaneMetrics, Metrics } from '../platform/observe/metrics.ts'
import type { KnownCaller } from './known-callers.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** After this time a request of a refused caller begins, and writes a line to the access log. */
const LOG_EVERY_MS = 1_000

const COLLECTION = '/v1/agent-configurations'

/** The requests that callers send most: of one agent, and of all without a query, which may choose another lane. */
const PATH = new RegExp(`^${COLLECTION}(?:/([\\da-fA-F-]{36}))?$`)

export interface EarlyRefusalOptions {
  lanes: Lanes
  laneMetrics: LaneMetrics
  metrics: Metrics
  newRequestId: (request: IncomingMessage) => string
}

/** Refuses requests before they begin, without their hooks, in a third of the CPU time: at several times its capacity, a process
 * must not spend all its time on refusals. */
export interface EarlyRefusals {
  /** Refuses a request that would get no place in its lane. Returns whether it did. */
  refuseForLane: (request: IncomingMessage, response: ServerResponse, caller: KnownCaller) => boolean
  refuse: (request: IncomingMessage, response: ServerResponse, lane: keyof Lanes, cause: QueueRefusal) => void
}

export function createEarlyRefusals(options: EarlyRefusalOptions): EarlyRefusals {
  const { lanes, laneMetrics, metrics, newRequestId } = options

  const refuse: EarlyRefusals['refuse'] = (request, response, lane, cause) => {
    const { method = '' } = request
    const { status, headers } = refusalProblem(cause)
    const body = BODIES[cause]
    response.writeHead(status, {
      ...SECURITY_HEADERS,
      ...headers,
      ...(method === 'GET' ? { vary: 'accept-encoding' } : { 'cache-control': 'no-store' }),
      'x-request-id': newRequestId(request),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
    laneMetrics.countRefusal(lane, cause)
    metrics.observeRequest({ method, route: routeOf(request), status, seconds: 0 })
  }

  return {
    refuse,
    refuseForLane: (request, response, caller) => {
      const lane = laneOf(request)
      if (!lane || performance.now() - caller.verifiedAt > LOG_EVERY_MS) return false
      const path = PATH.exec(request.url ?? '')
      const cause = path && lanes[lane].refusal(caller.team, lane === 'writes' ? path[1] : undefined)
      if (!cause) return false
      refuse(request, response, lane, cause)
      return true
    },
  }
}

const BODIES: Record<QueueRefusal, string> = {
  own_share: JSON.stringify(refusalProblem('own_share').toBody()),
  overloaded: JSON.stringify(refusalProblem('overloaded').toBody()),
}

function laneOf({ method }: IncomingMessage): Lane | undefined {
  if (method === 'GET') return 'reads'
  return method === 'PUT' ? 'writes' : undefined
}

/** As in the access log. */
function routeOf({ url = '' }: IncomingMessage): string {
  const path = PATH.exec(url)
  if (!path) return 'unknown'
  return path[1] === undefined ? COLLECTION : `${COLLECTION}/:id`
}
