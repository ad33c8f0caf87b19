import type { ProblemCode } from './problem-codes.ts'
import { PERMISSION_ERRORS, problemResponses, validationResponse } from './responses.ts'

/** What every operation of the console declares in the document. */
export const AGENT_OPERATION = { tags: ['Agent Environment'], security: [{ bearer: [] }] }

/** The errors of an operation that reads: its own and those of every read. */
export function readErrors(...own: ProblemCode[]) {
  return {
    422: validationResponse,
    ...problemResponses(...PERMISSION_ERRORS, ...own, 'database_unavailable'),
  }
}

/** The errors of an operation that writes. A body that is too large is rejected even where the operation takes none. */
export function writeErrors(...own: ProblemCode[]) {
  return {
    422: validationResponse,
    ...problemResponses(
      ...PERMISSION_ERRORS,
      'body_too_large',
      ...own,
      'database_unavailable',
      'outcome_unknown',
    ),
  }
}
