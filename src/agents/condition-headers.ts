import { type Static, Type } from 'typebox'
import { RefuseIfDependents } from '../contract/delegation.ts'
import { IfMatch, revisionsToMatch } from '../contract/etag.ts'
import type { ChangeConditions } from './change-agent.ts'

/** The request headers that make a change of one agent conditional. */
export const ConditionHeaders = Type.Object({ ...IfMatch.properties, ...RefuseIfDependents.properties })

export function conditionsOf(headers: Static<typeof ConditionHeaders>): ChangeConditions {
  return {
    expectedRevisions: revisionsToMatch(headers['if-match']),
    refuseIfDependents: headers['console-refuse-if-dependents'],
  }
}
