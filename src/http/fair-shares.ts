import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { QueueRefusal } from '../platform/fairness/fair-queue.ts'
import type { Lane, Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem } from '../platform/fairness/place.ts'
import type { LaneMetrics } from '../platform/observe/metrics/lanes.ts'
import { hasEnded } from '../platform/response-end.ts'
import { inSpan } from '../platform/tracing/spans.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of place at the database that the handler needs; `by_method`: a read for GET and HEAD, else a write. Absent
     * if the handler does not use the database. */
    lane?: 'by_method' | ((query: unknown) => Lane)
  }
  interface FastifyRequest {
    /** Call it between two statements of a handler that runs many, and in no transaction: if other requests wait, they get
     * the place, and this one waits for its next turn. Rejects as a request that gets no place. Set on routes with a lane. */
    yieldPlace: () => Promise<void>
  }
  interface FastifyReply {
    /** Runs work at a place, for a handler that knows the lane only from the body. `key`: the agent that a write changes. */
    withPlace: <Result>(lane: Lane, key: string | undefined, work: () => Promise<Result>) => Promise<Result>
  }
}

interface Place {
  take: () => Promise<void>
  yield: () => Promise<void>
  /** Has no effect if the last wait ended without a place. */
  release: () => void
}

interface FairSharesOptions {
  lanes: Lanes
  laneMetrics: LaneMetrics
}

/** Gives each handler that uses the database a place in a lane while it runs, so that no team takes the connections from the
 * others. A slow reader of the response holds no place. */
export const fairShares = fp(
  async (app, { lanes, laneMetrics }: FairSharesOptions) => {
    app.decorateRequest('yieldPlace')
    app.decorateReply('withPlace', withPlace)

    const refuse = (lane: Lane, cause: QueueRefusal): Problem => {
      laneMetrics.countRefusal(lane, cause)
      return refusalProblem(cause)
    }

    const createPlace = (reply: FastifyReply, lane: Lane, key: string | undefined): Place => {
      const queue = lanes[lane]
      let granted = Promise.withResolvers<void>()
      const entry = {
        team: reply.request.caller.teamId,
        key,
        onPlace: () => granted.resolve(),
        onRefusal: (cause: QueueRefusal) => granted.reject(refuse(lane, cause)),
      }
      const onDisconnect = () => {
        queue.cancel(entry)
        granted.reject(new Problem('client_disconnected'))
      }
      const wait = async () => {
        const since = performance.now()
        if (hasEnded(reply.raw)) onDisconnect()
        else reply.raw.once('close', onDisconnect)
        try {
          await inSpan('wait for a place', { attributes: { 'console.lane': lane } }, () => granted.promise)
        } finally {
          reply.raw.off('close', onDisconnect)
        }
        laneMetrics.observeWait(lane, (performance.now() - since) / 1_000)
      }
      return {
        take: () => {
          queue.enter(entry)
          return wait()
        },
        yield: async () => {
          if (!queue.yield(entry)) return
          granted = Promise.withResolvers()
          await wait()
        },
        release: () => queue.release(entry),
      }
    }

    function withPlace<Result>(
      this: FastifyReply,
      lane: Lane,
      key: string | undefined,
      work: () => Promise<Result>,
    ): Promise<Result> {
      return runAt(createPlace(this, lane, key), work)
    }

    /** Before the body is read. */
    const refuseEarly: RouteOptions['onRequest'] = (request, _reply, done) => {
      const lane = chooseLane(request)
      const cause = lanes[lane].refusal(request.caller.teamId, keyOf(request, lane))
      done(cause && refuse(lane, cause))
    }

    app.addHook('onRoute', (route) => {
      if (route.config?.lane === undefined) return
      const { handler } = route
      route.onRequest = [...[route.onRequest ?? []].flat(), refuseEarly]
      // Around the handler and not in onSend: the place is free when the handler has ended, even if its client is gone.
      route.handler = async function (request, reply) {
        const lane = chooseLane(request)
        const place = createPlace(reply, lane, keyOf(request, lane))
        request.yieldPlace = place.yield
        return runAt(place, async () => handler.call(this, request, reply))
      }
    })
  },
  { name: 'fair-shares', dependencies: ['authentication'] },
)

async function runAt<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
  await place.take()
  try {
    return await work()
  } finally {
    place.release()
  }
}

function chooseLane({ method, query, routeOptions }: FastifyRequest): Lane {
  const { lane } = routeOptions.config
  if (typeof lane === 'function') return lane(query)
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'writes'
}

/** One write of an agent at a time: the others would only wait for its row lock, each with a connection. */
function keyOf({ params }: FastifyRequest, lane: Lane): string | undefined {
  if (lane !== 'writes') return undefined
  const { id, set, key } = params as { id?: string; set?: string; key?: string }
  return id ?? (key === undefined ? undefined : `${set} ${key}`)
}
