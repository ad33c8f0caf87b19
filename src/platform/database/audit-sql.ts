import type { Caller } from '../identity/identity.ts'

/** The beginning of every INSERT of an audit event. The change and its audit event are one statement, so that neither is
 * stored without the other. */
export const INSERT_AUDIT_EVENT =
  'INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, via, client_id, detail)'

/** What a statement needs for its audit event: the id of the event (`eventId`), and who sent which request. */
export interface AuditOrigin extends Pick<Caller, 'userId' | 'requestId' | 'via' | 'clientId'> {
  eventId: string
}

export function auditOrigin({ userId, requestId, via, clientId }: Caller, eventId: string): AuditOrigin {
  return { userId, requestId, via, clientId, eventId }
}

/** Five parameters of a statement: user, id of the event, id of the request, interface, application. */
export function originParameters({ userId, eventId, requestId, via, clientId }: AuditOrigin): unknown[] {
  return [userId, eventId, requestId, via, clientId]
}
