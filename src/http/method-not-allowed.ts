import { METHODS as NODE_METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'

/** Common methods first: the Allow header keeps this order. Node never emits CONNECT as a request. */
const METHODS = [
  ...new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...NODE_METHODS]),
].filter((method) => method !== 'CONNECT')

/** Records the methods of each path, so that `registerMethodNotAllowed` can add a 405 for the others. */
export const methodNotAllowed = fp(
  async (app) => {
    const methodsByPath = new Map<string, Set<HTTPMethods>>()
    let isComplete = false
    for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    app.addHook('onRoute', ({ url, method }) => {
      if (isComplete) return
      const path = url.replace(/(?<=.)\/$/, '')
      const methods = methodsByPath.get(path) ?? new Set()
      methodsByPath.set(path, methods)
      for (const one of [method].flat()) methods.add(one)
    })
    app.decorate('methodsByPath', methodsByPath)
    const allow = (path: string) =>
      METHODS.filter((method) => methodsByPath.get(path)?.has(method)).join(', ')
    app.decorate('allowedMethods', allow)
    app.decorate('registerMethodNotAllowed', () => {
      isComplete = true
      for (const [url, methods] of methodsByPath) {
        const missing = METHODS.filter((method) => !methods.has(method))
        const refuse = async () => {
          throw new Problem('method_not_allowed', { headers: { allow: allow(url) } })
        }
        if (missing.length === 0 || url.includes('*')) continue
        app.route({
          method: missing,
          url,
          config: { permission: 'public' },
          schema: { hide: true },
          // Before authentication and before the body is read: neither can change the response.
          onRequest: refuse,
          handler: refuse,
        })
      }
    })
  },
  { name: 'method-not-allowed' },
)

declare module 'fastify' {
  interface FastifyInstance {
    methodsByPath: ReadonlyMap<string, ReadonlySet<HTTPMethods>>
    /** The Allow header of a path, such as `GET, HEAD`. */
    allowedMethods: (path: string) => string
    /** Call once, after the last route. */
    registerMethodNotAllowed: () => void
  }
}
