import type { FastifyRequest } from 'fastify'
import { PermissionMissing, Problem } from '../contract/problem.ts'
import { METADATA_PATH } from './protected-resource.ts'
import { publicUrlOf } from './public-url.ts'

/** The header that tells an OAuth client what to do (RFC 6750 section 3, RFC 9728 section 5.1): where to get a token, or which
 * scope it needs. Undefined for other errors. */
export function challengeFor(
  error: Error,
  request: FastifyRequest,
  publicUrl: string | undefined,
): string | undefined {
  const parameters = error instanceof Problem ? toParameters(error) : undefined
  if (!parameters) return undefined
  const url = publicUrlOf(request, publicUrl)
  const all = [...(url === undefined ? [] : [`resource_metadata="${url}${METADATA_PATH}"`]), ...parameters]
  return `Bearer ${all.join(', ')}`.trim()
}

function toParameters(problem: Problem): string[] | undefined {
  // Without a token there is no error to name.
  if (problem.code === 'unauthenticated') return []
  if (problem.code === 'invalid_token') return ['error="invalid_token"']
  if (!(problem instanceof PermissionMissing)) return undefined
  return ['error="insufficient_scope"', `scope="${problem.permission}"`]
}
