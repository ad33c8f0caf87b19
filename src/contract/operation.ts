import { GUARDED, problemAnswers, validationAnswer } from './answers.ts'
import type { ProblemCode } from './problem-codes.ts'

/** What every operation of the console's own says of itself in the document. */
export const AGENT_OPERATION = { tags: ['Agent Environment'], security: [{ bearer: [] }] }

/** The errors of an operation that reads: its own, and those that any such operation may answer. */
export function readErrors(...own: ProblemCode[]) {
  return { 422: validationAnswer, ...problemAnswers(...GUARDED, ...own, 'database_unavailable') }
}

/** The errors of an operation that writes. Where it asks for no body, one that is too large is refused all the same. */
export function writeErrors(...own: ProblemCode[]) {
  return {
    422: validationAnswer,
    ...problemAnswers(...GUARDED, 'body_too_large', ...own, 'database_unavailable', 'outcome_unknown'),
  }
}
