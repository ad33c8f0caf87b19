import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Remembers which methods each path has; `answerOtherMethods` then answers 405 for the rest. */
export const methods = fp(
  async (app) => {
    const known = new Map<string, Set<HTTPMethods>>()
    app.addHook('onRoute', ({ url, method }) => {
      const path = url.replace(/(?<=.)\/$/, '')
      const methodsOfPath = known.get(path) ?? new Set()
      known.set(path, methodsOfPath)
      for (const one of [method].flat()) methodsOfPath.add(one)
    })
    app.decorate('answerOtherMethods', () => {
      for (const [url, present] of Array.from(known)) {
        const allow = METHODS.filter((method) => present.has(method)).join(', ')
        const missing = METHODS.filter((method) => !present.has(method))
        const refuse = async () => {
          throw new Problem('method_not_allowed', { headers: { allow } })
        }
        if (missing.length === 0 || url.includes('*')) continue
        app.route({
          method: missing,
          url,
          config: { permission: 'public' },
          schema: { hide: true },
          // Before authentication and before the body is read: neither can change the answer.
          onRequest: refuse,
          handler: refuse,
        })
      }
    })
  },
  { name: 'methods' },
)

declare module 'fastify' {
  interface FastifyInstance {
    /** Call once, after the last route. */
    answerOtherMethods: () => void
  }
}
