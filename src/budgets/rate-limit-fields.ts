import type { CountedBy } from '../contract/request-budget.ts'
import type { Policy } from '../platform/redis/gcra.ts'

interface State {
  remaining: number
  waitUs: number
  countedBy: CountedBy
}

/** The fields RateLimit-Policy and RateLimit of the IETF draft draft-ietf-httpapi-ratelimit-headers, which are lists of RFC 9651.
 * Without `t`, this replica counts alone and does not know when the other replicas will have permits. */
export function rateLimitFields({ limit, burst }: Policy, state: State): Record<string, string> {
  const { remaining, countedBy } = state
  const reset = countedBy === 'redis' ? `;t=${toSeconds(state.waitUs)}` : ''
  return {
    'ratelimit-policy': `"agent";q=${limit};w=60;console-burst=${burst}`,
    ratelimit: `"agent";r=${remaining}${reset}`,
  }
}

/** Retry-After and `t` are whole seconds. Both are rounded in the same way, because they must agree. */
export function toSeconds(us: number): number {
  return Math.max(1, Math.ceil(us / 1e6))
}
