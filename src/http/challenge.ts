import type { FastifyRequest } from 'fastify'
import type { Permission } from '../contract/permissions.ts'
import { PermissionMissing, Problem } from '../contract/problem.ts'
import { METADATA_PATH } from './protected-resource.ts'
import { publicUrlOf } from './public-url.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a route that is a protected resource of its own, with metadata at this path under the well-known one. `scopes` are those
     * that its clients ask for; the first one is enough to begin. */
    protectedResource?: { path: string; scopes: readonly [Permission, ...Permission[]] }
  }
}

/** The header that tells an OAuth client what to do (RFC 6750 section 3, RFC 9728 section 5.1): where to get a token, or which
 * scope it needs. Undefined for other errors. */
export function challengeFor(
  error: Error,
  request: FastifyRequest,
  publicUrl: string | undefined,
): string | undefined {
  const parameters = error instanceof Problem ? toParameters(error, request) : undefined
  if (!parameters) return undefined
  const url = publicUrlOf(request, publicUrl)
  const path = METADATA_PATH + (request.routeOptions.config.protectedResource?.path ?? '')
  const all = [...(url === undefined ? [] : [`resource_metadata="${url}${path}"`]), ...parameters]
  return `Bearer ${all.join(', ')}`.trim()
}

function toParameters(problem: Problem, { routeOptions, verified }: FastifyRequest): string[] | undefined {
  const { protectedResource: resource } = routeOptions.config
  const first = resource ? [`scope="${resource.scopes[0]}"`] : []
  // Without a token there is no error to name.
  if (problem.code === 'unauthenticated') return first
  if (problem.code === 'invalid_token') return ['error="invalid_token"', ...first]
  if (!(problem instanceof PermissionMissing)) return undefined
  // A client asks for a new token with exactly these scopes, so those that it has are among them.
  const kept = resource?.scopes.filter((name) => verified?.permissions.has(name)) ?? []
  return ['error="insufficient_scope"', `scope="${[...kept, problem.permission].join(' ')}"`]
}
