import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { QueueRefusal } from '../platform/fairness/fair-queue.ts'
import type { Lane, Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem } from '../platform/fairness/place.ts'
import type { LaneMetrics } from '../platform/observe/metrics/lanes.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import type { KnownCaller } from './known-callers.ts'
import { limitBodyTime } from './request-timeout.ts'
import { READS, SECURITY_HEADERS } from './security-headers.ts'

/** A request that has not begun. */
export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly caller: KnownCaller | undefined
}

export interface EarlyRefusalOptions {
  lanes: Lanes
  laneMetrics: LaneMetrics
  metrics: Metrics
  newRequestId: (request: IncomingMessage) => string
  shutdown: { hasBegun: boolean }
}

/** Refuses requests before they begin, without their hooks, in a third of the CPU time: at several times its capacity, a process
 * must not spend all its time on refusals. */
export interface EarlyRefusals {
  refuse: (arrival: Arrival, refusal: { lane: keyof Lanes; cause: QueueRefusal; waitedMs?: number }) => void
  /** Refuses a request that would get no place in its lane. Returns whether it did. */
  refuseForLane: (arrival: Arrival) => boolean
}

/** The access log has one line in this time for the refusals of a caller. */
const LOG_EVERY_MS = 1_000

const COLLECTION = '/v1/agent-configurations'

/** The requests that callers send most: of one agent, and of all of them. */
const PATH = new RegExp(`^${COLLECTION}(?:/([\\da-fA-F-]{36}))?(?:\\?|$)`)

export function createEarlyRefusals(log: FastifyBaseLogger, options: EarlyRefusalOptions): EarlyRefusals {
  const { lanes, laneMetrics, metrics, newRequestId, shutdown } = options

  const refuse: EarlyRefusals['refuse'] = ({ request, response, caller }, { lane, cause, waitedMs = 0 }) => {
    const { method = '' } = request
    const { status, headers } = refusalProblem(cause)
    const body = BODIES[cause]
    const requestId = newRequestId(request)
    response.writeHead(status, {
      ...SECURITY_HEADERS,
      ...headers,
      ...(READS.includes(method) ? { vary: 'accept-encoding' } : { 'cache-control': 'no-store' }),
      ...(shutdown.hasBegun && { connection: 'close' }),
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
    if (!request.complete) limitBodyTime(request, response)
    laneMetrics.countRefusal(lane, cause)
    const route = nameRoute(request)
    metrics.observeRequest({ method, route, status, seconds: waitedMs / 1_000 })
    const now = performance.now()
    if (!caller || now - caller.loggedAt < LOG_EVERY_MS) return
    caller.loggedAt = now
    const { team: team_id, user: user_id } = caller
    const duration_ms = Math.round(waitedMs)
    log.info({ request_id: requestId, method, route, status, duration_ms, team_id, user_id }, 'request')
  }

  return {
    refuse,
    refuseForLane: (arrival) => {
      const { request, caller } = arrival
      const needed = caller && findPlace(request)
      const cause = needed && lanes[needed.lane].refusal(caller.team, needed.key)
      if (cause) refuse(arrival, { lane: needed.lane, cause })
      return cause !== undefined
    },
  }
}

const BODIES: Record<QueueRefusal, string> = {
  own_share: JSON.stringify(refusalProblem('own_share').toBody()),
  overloaded: JSON.stringify(refusalProblem('overloaded').toBody()),
}

/** The place that a request will need, if its path says that. */
function findPlace({
  method,
  url = '',
}: IncomingMessage): { lane: Lane; key?: string | undefined } | undefined {
  const path = PATH.exec(url)
  // The query of a list can choose another lane.
  if (!path || url.includes('?')) return undefined
  if (method === 'GET') return { lane: 'reads' }
  return method === 'PUT' ? { lane: 'writes', key: path[1] } : undefined
}

/** As `routeOf`, for the paths that are known before a request begins. */
export function nameRoute({ url = '' }: IncomingMessage): string {
  const path = PATH.exec(url)
  if (!path) return 'unknown'
  return path[1] === undefined ? COLLECTION : `${COLLECTION}/:id`
}
