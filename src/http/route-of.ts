import type { FastifyRequest } from 'fastify'

/** The path template, never the path of the request: that may contain anything. */
export function routeOf({ mountedOperation, routeOptions, pathOfOtherMethods }: FastifyRequest): string {
  if (pathOfOtherMethods !== undefined) return pathOfOtherMethods
  if (mountedOperation) return mountedOperation.route
  return routeOptions.config.findMountedOperation ? 'unknown' : (routeOptions.url ?? 'unknown')
}
