import type { Caller } from '../api/caller.ts'
import type { RevisionAction } from '../api/events.ts'
import { type Fragment, fragment, type Param, type Part } from '../platform/postgres/sql.ts'

/** What a statement needs for its audit event: the id of the event (`eventId`), and who sent which request. */
export interface AuditOrigin extends Pick<Caller, 'userId' | 'requestId' | 'via' | 'clientId'> {
  eventId: string
}

export function auditOrigin({ userId, requestId, via, clientId }: Caller, eventId: string): AuditOrigin {
  return { userId, requestId, via, clientId, eventId }
}

interface AuditedAction {
  team: Part
  at: Part
  action: AuditAction
  /** Null if the action concerns no agent. */
  agent: Part
  /** A parameter that the statement also uses elsewhere, instead of the user of the origin. */
  user?: Param
  detail: Part
}

/** An INSERT that stores an audit event for each row of the `FROM` that follows it. The change and its audit event are
 * one statement, so that neither is stored without the other. */
export function auditEvent(
  { userId, eventId, requestId, via, clientId }: AuditOrigin,
  { team, at, action, agent, user, detail }: AuditedAction,
): Fragment {
  return fragment`${INSERT_AUDIT_EVENT}
  SELECT ${team}, ${eventId}, ${at}, ${user ?? userId}, ${action}, ${agent},
    ${requestId}, ${via}, ${clientId}, ${detail}`
}

export const INSERT_AUDIT_EVENT = fragment`
  INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, via, client_id, detail)`

export const OTHER_ACTIONS = [
  'agent_evaluation_recorded',
  'agent_revision_redacted',
  'agents_exported',
  'secrets_read',
  'idempotency_conflict',
  'permission_refused',
  'service_called',
  'audit_exported',
  'user_erased',
  'view_saved',
  'view_deleted',
  'set_applied',
  'set_released',
] as const

export type AuditAction = `agent_${RevisionAction}` | (typeof OTHER_ACTIONS)[number]
