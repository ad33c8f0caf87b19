import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import fp from 'fastify-plugin'
import type { QueueRefusal } from '../platform/fairness/fair-queue.ts'
import { createEarlyRefusals, type EarlyRefusalOptions } from './early-refusals.ts'
import { intakeWaits } from './intake-waits.ts'
import { createKnownCallers } from './known-callers.ts'

interface IntakeOptions extends EarlyRefusalOptions {
  shutdown: { hasBegun: boolean }
}

/** The callers that are not known take their turns as one team. */
const UNKNOWN = ''

/** Begins a few requests in each turn of the event loop, of the teams in turn, and refuses those that would wait too long. Without
 * it a turn begins all requests that have arrived. Under overload that takes a second, in which no response of the database is read. */
export const intake = fp(
  async (app, { shutdown, ...options }: IntakeOptions) => {
    const { laneMetrics, lanes } = options
    const queue = lanes.intake
    const callers = createKnownCallers()
    const { refuse, refuseForLane } = createEarlyRefusals(options)

    app.addHook('onRequest', (request, _reply, done) => {
      if (request.caller) callers.remember(request.raw, request.caller.teamId)
      done()
    })

    const enter = (request: IncomingMessage, response: ServerResponse) => {
      const caller = callers.find(request)
      if (caller && refuseForLane(request, response, caller)) return
      const since = performance.now()
      const entry = {
        team: caller?.team ?? UNKNOWN,
        onPlace: () => {
          // The places are those of one turn of the event loop.
          setImmediate(queue.release, entry)
          const waitedMs = performance.now() - since
          laneMetrics.observeWait('intake', waitedMs / 1_000)
          if (waitedMs >= 1) intakeWaits.set(request, waitedMs)
          if (!response.destroyed) handle(request, response)
        },
        onRefusal: (cause: QueueRefusal) =>
          refuse(request, response, 'intake', caller ? cause : 'overloaded'),
      }
      queue.enter(entry)
    }

    const [handle] = app.server.listeners('request') as [RequestListener]
    app.server.off('request', handle).on('request', (request, response) => {
      if (shutdown.hasBegun || isHealthCheck(request)) handle(request, response)
      else enter(request, response)
    })
  },
  { name: 'intake', dependencies: ['authentication'] },
)

/** An overloaded process is alive: it must not be restarted. */
function isHealthCheck({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/health/')
}
