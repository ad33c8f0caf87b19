import type { IncomingMessage, RequestListener } from 'node:http'
import fp from 'fastify-plugin'
import type { QueueEntry, QueueRefusal } from '../platform/fairness/fair-queue.ts'
import { onResponseEnd } from '../platform/response-end.ts'
import { type Arrival, createEarlyRefusals, type EarlyRefusalOptions, nameRoute } from './early-refusals.ts'
import { intakeWaits } from './intake-waits.ts'
import { createKnownCallers } from './known-callers.ts'

/** Begins a few requests in each turn of the event loop, of the teams in turn, and refuses those that would wait too long.
 * Without it a turn begins all requests that have arrived. Under overload that takes a second, in which no response of the
 * database is read. */
export const intake = fp(
  async (app, options: EarlyRefusalOptions) => {
    const { laneMetrics, lanes } = options
    const queue = lanes.intake
    const callers = createKnownCallers()
    /** The requests of callers that were not known. */
    const strangers = new WeakSet<IncomingMessage>()
    const { refuse, refuseForLane } = createEarlyRefusals(app.log, options)
    const [handle] = app.server.listeners('request') as [RequestListener]

    const begun: QueueEntry[] = []
    const releaseAll = () => {
      for (const entry of begun.splice(0)) queue.release(entry)
    }
    const releaseInNextTurn = (entry: QueueEntry) => {
      if (begun.push(entry) === 1) setImmediate(releaseAll)
    }

    const enter = (arrival: Arrival) => {
      const { request, response, caller } = arrival
      const since = performance.now()
      let isWaiting = true
      const endWait = () => {
        isWaiting = false
        return performance.now() - since
      }
      const entry = {
        team: caller?.team ?? groupOf(request),
        onPlace: () => {
          releaseInNextTurn(entry)
          const waitedMs = endWait()
          laneMetrics.observeWait('intake', waitedMs / 1_000)
          if (waitedMs >= 1) intakeWaits.set(request, waitedMs)
          handle(request, response)
        },
        onRefusal: (cause: QueueRefusal) => {
          const waitedMs = endWait()
          refuse(arrival, { lane: 'intake', cause: caller ? cause : 'overloaded', waitedMs })
        },
      }
      queue.enter(entry)
      if (!isWaiting) return
      onResponseEnd(response, () => {
        if (!isWaiting) return
        queue.cancel(entry)
        app.log.info({ method: request.method, route: nameRoute(request) }, 'client disconnected')
      })
    }

    app.server.off('request', handle).on('request', (request, response) => {
      if (isHealthCheck(request)) return handle(request, response)
      const arrival = { request, response, caller: callers.find(request) }
      if (!arrival.caller) strangers.add(request)
      if (!refuseForLane(arrival)) enter(arrival)
    })
    app.addHook('onResponse', ({ raw, verified }, _reply, done) => {
      if (verified?.teamId && strangers.has(raw))
        callers.remember(raw, { team: verified.teamId, user: verified.userId })
      done()
    })
  },
  { name: 'intake', dependencies: ['authentication'] },
)

/** The callers that are not known take their turns as two teams: those with a token that is not verified yet, and the others. */
function groupOf({ headers }: IncomingMessage): string {
  return headers.authorization === undefined ? 'no token' : 'unverified token'
}

/** They are always answered: an overloaded process must not be restarted. */
function isHealthCheck({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && (url === '/health/live' || url === '/health/ready')
}
