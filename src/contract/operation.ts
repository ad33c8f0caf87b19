import type { ProblemCode } from './problem-codes.ts'
import { MEMBER_ERRORS, PERMISSION_ERRORS, problemResponses, validationResponse } from './responses.ts'

/** The features of the console, in the order of the API reference. Each is the second tag of its operations; `area`, a tag
 * of the contract, is the first. */
export const FEATURES = {
  Agents: { area: 'Agent Environment', description: 'Configurations of agents, one by one and in bulk.' },
  Revisions: { area: 'Agent Environment', description: 'History of agents: compare, restore, redact.' },
  Secrets: { area: 'Agent Environment', description: 'Secrets of agents.' },
  'Agent Evaluations': { area: 'Agent Environment', description: 'Scores of agents.' },
  'Request Budgets': { area: 'Agent Environment', description: 'How often an agent may be called.' },
  Delegation: { area: 'Agent Environment', description: 'Which agents delegate to which.' },
  Events: { area: 'Agent Environment', description: 'Changes of agents as they happen.' },
  'Agent Cards': { area: 'Agent Environment', description: 'A2A agent cards.' },
  Imports: { area: 'Agent Environment', description: 'Agents from other systems.' },
  'Configuration Sets': { area: 'Agent Environment', description: 'Agents that are managed in files.' },
  Views: { area: 'Agent Environment', description: 'Saved views of the list of agents.' },
  'Audit Log': { area: 'Agent Environment', description: 'Who did what, and when.' },
  Evolution: { area: 'Agent Environment', description: 'Evolution of agents, by the evolution service.' },
  Services: { area: 'Agent Environment', description: 'The services behind the console.' },
  Users: { area: 'Teams', description: 'The caller, and the names of users.' },
} as const
export type Feature = keyof typeof FEATURES

/** What an operation declares in the document. The tag of the area comes first: some generators know only one tag. */
export function featureOperation(feature: Feature) {
  return { tags: [FEATURES[feature].area, feature], security: [{ bearer: [] }] }
}

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
