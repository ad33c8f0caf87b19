import { Type } from 'typebox'
import type { ProblemCode } from './problem-codes.ts'

// What requests that change many agents have in common.

/** Codes of results for which a repetition may have another result. */
export const TEMPORARY_CODES = [
  'too_many_requests',
  'overloaded',
  'database_unavailable',
  'agent_busy',
  'outcome_unknown',
  'internal',
] as const satisfies readonly ProblemCode[]

/** The codes of a result. `validation_error` stands for a 422. */
export const RESULT_CODES = [
  'validation_error',
  'permission_missing',
  'agent_not_found',
  'revision_stale',
  'agent_too_large',
  ...TEMPORARY_CODES,
] as const satisfies readonly (ProblemCode | 'validation_error')[]

export const idempotencyKeyHeader = (description: string) =>
  Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: '^[ -~]*$', description }),
    ),
  })
