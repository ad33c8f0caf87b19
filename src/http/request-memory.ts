import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { SharedBudget } from '../platform/fairness/shared-budget.ts'
import { onResponseEnd } from '../platform/response-end.ts'

/** Limits the memory for request bodies: a body that arrives slowly holds its memory for up to the time limit of a request.
 * Runs after authentication and before the body is read. */
export const requestMemory = fp(
  async (app, { memory }: { memory: SharedBudget }) => {
    app.addHook('preParsing', (request, reply, payload, done) => {
      const { config, bodyLimit } = request.routeOptions
      const bytes = config.streams ? 0 : expectedBytes(request.raw, bodyLimit)
      const team = request.verified?.tenant ?? ''
      const refusal = bytes > 0 ? memory.take(team, bytes) : undefined
      if (refusal) {
        const code = refusal === 'own_share' ? 'too_many_requests' : 'overloaded'
        return done(new Problem(code, { headers: { 'retry-after': '1' } }), payload)
      }
      if (bytes > 0) onResponseEnd(reply.raw, () => memory.give(team, bytes))
      done(null, payload)
    })
  },
  { name: 'request-memory' },
)

/** What the client announces; a larger body is refused. */
function expectedBytes({ headers }: IncomingMessage, bodyLimit: number): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Math.min(Number(headers['content-length'] ?? 0) || 0, bodyLimit)
}
