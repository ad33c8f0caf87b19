import { METHODS as NODE_METHODS } from 'node:http'
import type { FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import createRouter from 'find-my-way'
import { Problem } from '../contract/problem.ts'

/** Common methods first: the Allow header keeps this order. Node never emits CONNECT as a request. */
const METHODS = [
  ...new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...NODE_METHODS]),
].filter((method) => method !== 'CONNECT')

/** Refuses the methods that a path does not have. They are looked up among all paths, once no route was found: a route
 * for each of them would take a third of the CPU time of a start. */
export const methodNotAllowed = fp(
  async (app) => {
    const methodsByPath = new Map<string, Set<HTTPMethods>>()
    const paths = createRouter(app.initialConfig.routerOptions)
    for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    app.addHook('onRoute', ({ url, method, config }) => {
      const path = url.replace(/(?<=.)\/$/, '')
      const methods = methodsByPath.get(path) ?? new Set()
      const isMounted = config?.findMountedOperation !== undefined
      if (methods.size === 0 && !isMounted) paths.on('GET', path, () => {}, path)
      methodsByPath.set(path, methods)
      for (const one of [method].flat()) methods.add(one)
    })
    app.decorate('methodsByPath', methodsByPath)
    const allow = (path: string) =>
      METHODS.filter((method) => methodsByPath.get(path)?.has(method)).join(', ')
    app.decorate('allowedMethods', allow)

    app.decorateRequest('pathOfOtherMethods', undefined)
    // Before authentication and before the body is read: neither can change the response.
    app.addHook('onRequest', (request, _reply, done) => {
      const path = hasNoRoute(request)
        ? (paths.find('GET', request.url)?.store as string | undefined)
        : undefined
      if (path === undefined) return done()
      request.pathOfOtherMethods = path
      done(new Problem('method_not_allowed', { headers: { allow: allow(path) } }))
    })
  },
  { name: 'method-not-allowed' },
)

/** The route of all mounted operations takes every path that no other route has. */
function hasNoRoute({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.config.findMountedOperation !== undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    methodsByPath: ReadonlyMap<string, ReadonlySet<HTTPMethods>>
    /** The Allow header of a path, such as `GET, HEAD`. */
    allowedMethods: (path: string) => string
  }
  interface FastifyRequest {
    /** The template of the path, if it has other methods than that of the request. */
    pathOfOtherMethods: string | undefined
  }
}
