import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { QueueRefusal } from '../platform/fair-queue.ts'
import type { Lane, Lanes } from '../platform/lanes.ts'
import type { Metrics } from '../platform/metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of place at the database that the handler needs; `by_method`: a read for GET and HEAD, else a write. Absent
     * if the handler does not use the database. */
    lane?: 'by_method' | ((query: unknown) => Lane)
  }
}

/** Created once: refusals must be cheap, and an error with its own stack trace is not. */
const REFUSALS: Record<QueueRefusal, Problem> = {
  own_share: new Problem('too_many_requests', { headers: { 'retry-after': '1' } }),
  overloaded: new Problem('overloaded', { headers: { 'retry-after': '1' } }),
}

/** Gives each handler that uses the database a place in a lane while it runs, so that no team takes the connections from the
 * others. A slow reader of the response holds no place. */
export const fairShares = fp(
  async (app, { lanes, metrics }: { lanes: Lanes; metrics: Metrics }) => {
    const laneMetrics = metrics.lanes(lanes)

    const refuse = (lane: Lane, cause: QueueRefusal): Problem => {
      laneMetrics.countRefusal(lane, cause)
      return REFUSALS[cause]
    }

    const takePlace = (request: FastifyRequest, reply: FastifyReply) => {
      const lane = chooseLane(request)
      const queue = lanes[lane]
      const enteredAt = performance.now()
      return new Promise<() => void>((resolve, reject) => {
        let isWaiting = true
        const onDisconnect = () => {
          queue.cancel(entry)
          reject(new Problem('client_disconnected'))
        }
        const settle = () => {
          isWaiting = false
          reply.raw.off('close', onDisconnect)
        }
        const entry = {
          team: request.caller.teamId,
          key: keyOf(request, lane),
          onPlace: () => {
            settle()
            laneMetrics.observeWait(lane, (performance.now() - enteredAt) / 1_000)
            resolve(() => queue.release(entry))
          },
          onRefusal: (cause: QueueRefusal) => {
            settle()
            reject(refuse(lane, cause))
          },
        }
        queue.enter(entry)
        if (isWaiting) reply.raw.once('close', onDisconnect)
      })
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
        const release = await takePlace(request, reply)
        try {
          return await handler.call(this, request, reply)
        } finally {
          release()
        }
      }
    })
  },
  { name: 'fair-shares', dependencies: ['authentication'] },
)

function chooseLane({ method, query, routeOptions }: FastifyRequest): Lane {
  const { lane } = routeOptions.config
  if (typeof lane === 'function') return lane(query)
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'writes'
}

/** One write of an agent at a time: the others would only wait for its row lock, each with a connection. */
function keyOf({ params }: FastifyRequest, lane: Lane): string | undefined {
  return lane === 'writes' ? (params as { id?: string }).id : undefined
}
