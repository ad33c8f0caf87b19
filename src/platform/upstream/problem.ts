import { Problem } from '../../contract/problem.ts'
import type { ProblemCode } from '../../contract/problem-codes.ts'
import type { FailureKind, UpstreamFailure } from './failure.ts'

const CODES: Record<FailureKind, ProblemCode> = {
  unreachable: 'upstream_unavailable',
  not_asked: 'upstream_unavailable',
  deadline: 'upstream_timeout',
  cut_off: 'upstream_failed',
  too_large: 'upstream_failed',
  server_error: 'upstream_failed',
  caller_gone: 'caller_gone',
  caller_stalled: 'request_timeout',
  request_too_large: 'body_too_large',
}

/** What the caller is told. */
export function toProblem(failure: UpstreamFailure, retryAfterSeconds: number): Problem {
  const code = CODES[failure.kind]
  const headers = code === 'upstream_unavailable' ? { 'retry-after': String(retryAfterSeconds) } : {}
  return new Problem(code, { headers, cause: failure })
}
