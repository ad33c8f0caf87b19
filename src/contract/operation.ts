import type { ProblemCode } from './problem-codes.ts'
import { MEMBER_ERRORS, PERMISSION_ERRORS, problemResponses, validationResponse } from './responses.ts'

/** What every operation of the console declares in the document: they all have the tag of agents. */
export const AGENT_OPERATION = { tags: ['Agent Environment'], security: [{ bearer: [] }] }

/** The errors of an operation that needs a permission and does not use the database: its own and the common ones. */
export function permissionErrors(...own: ProblemCode[]) {
  return { 422: validationResponse, ...problemResponses(...PERMISSION_ERRORS, ...own) }
}

/** The errors of an operation that needs a user and a team, but no permission. */
export function memberErrors(...own: ProblemCode[]) {
  return { 422: validationResponse, ...problemResponses(...MEMBER_ERRORS, ...own) }
}

/** The errors of an operation that reads from the database. */
export function readErrors(...own: ProblemCode[]) {
  return permissionErrors(...own, 'database_unavailable')
}

/** The errors of an operation that writes. A body that is too large is rejected even where the operation takes none. */
export function writeErrors(...own: ProblemCode[]) {
  return permissionErrors('body_too_large', ...own, 'database_unavailable', 'agent_busy', 'outcome_unknown')
}
