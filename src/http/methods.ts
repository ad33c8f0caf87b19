import { METHODS as NODE_METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'

/** All that become a request; CONNECT does not. Those that a path may have come first. */
const METHODS = [
  ...new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...NODE_METHODS]),
].filter((method) => method !== 'CONNECT')

/** Remembers which methods each path has; `answerOtherMethods` then answers 405 for the rest. */
export const methods = fp(
  async (app) => {
    const known = new Map<string, Set<HTTPMethods>>()
    let complete = false
    for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    app.addHook('onRoute', ({ url, method }) => {
      if (complete) return
      const path = url.replace(/(?<=.)\/$/, '')
      const methodsOfPath = known.get(path) ?? new Set()
      known.set(path, methodsOfPath)
      for (const one of [method].flat()) methodsOfPath.add(one)
    })
    app.decorate('methodsByPath', known)
    app.decorate('answerOtherMethods', () => {
      complete = true
      for (const [url, present] of known) {
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
    /** Every path of this server with the methods it has. */
    methodsByPath: ReadonlyMap<string, ReadonlySet<HTTPMethods>>
    /** Call once, after the last route. */
    answerOtherMethods: () => void
  }
}
