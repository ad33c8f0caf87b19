import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { TEAM_HEADER } from '../contract/team-header.ts'
import type { QueueRefusal } from '../platform/fairness/fair-queue.ts'
import type { Lane, Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem } from '../platform/fairness/place.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** How long the token of a refused request counts as verified. */
const REMEMBER_MS = 1_000

const MAX_REMEMBERED = 1_000

const COLLECTION = '/v1/agent-configurations'

/** The requests that callers send most: of one agent, and of all without a query, which may choose another lane. */
const PATH = new RegExp(`^${COLLECTION}(?:/([\\da-fA-F-]{36}))?$`)

export interface RepeatedRefusal {
  lane: Lane
  cause: QueueRefusal
  method: string
  /** As in the access log. */
  route: string
  status: number
}

interface Options {
  lanes: Lanes
  newRequestId: (request: IncomingMessage) => string
  onRepeat: (refusal: RepeatedRefusal) => void
}

export interface RepeatedRefusals {
  /** Lets the next requests of this caller be refused by `repeat`. */
  remember: (request: IncomingMessage, team: string) => void
  /** Sends a refusal if the caller was refused a moment ago, and would be refused again. Returns whether it did. */
  repeat: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Refuses further requests of a caller without the hooks of a request, in a third of their CPU time: at several times its
 * capacity, a process must not spend all its time on refusals. */
export function createRepeatedRefusals({ lanes, newRequestId, onRepeat }: Options): RepeatedRefusals {
  /** The team of each caller. */
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS })

  return {
    remember: (request, team) => {
      remembered.set(callerOf(request), team)
    },
    repeat: (request, response) => {
      if (remembered.size === 0) return false
      const { method = '', url = '' } = request
      const lane = laneOf(method)
      const path = lane && PATH.exec(url)
      const team = path && remembered.get(callerOf(request))
      if (!team) return false
      const [, id] = path
      const cause = lanes[lane].refusal(team, lane === 'writes' ? id : undefined)
      if (!cause) return false
      const problem = refusalProblem(cause)
      const body = JSON.stringify(problem.toBody())
      response.writeHead(problem.status, {
        ...SECURITY_HEADERS,
        ...problem.headers,
        ...(lane === 'writes' ? { 'cache-control': 'no-store' } : { vary: 'accept-encoding' }),
        'x-request-id': newRequestId(request),
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
      onRepeat({ lane, cause, method, route: id ? `${COLLECTION}/:id` : COLLECTION, status: problem.status })
      return true
    },
  }
}

function laneOf(method: string): Lane | undefined {
  if (method === 'GET') return 'reads'
  return method === 'PUT' ? 'writes' : undefined
}

function callerOf({ headers }: IncomingMessage): string {
  // Node joins several headers to one text.
  const team = (headers[TEAM_HEADER] ?? '') as string
  return `${team} ${headers.authorization}`
}
