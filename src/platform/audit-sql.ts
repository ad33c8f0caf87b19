/** The beginning of every INSERT of an audit event. The change and its audit event are one statement, so that neither is
 * stored without the other. */
export const INSERT_AUDIT_EVENT =
  'INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)'

/** The ids that a statement needs for its audit event: its own (`eventId`) and that of the request. */
export interface AuditIds {
  eventId: string
  requestId: string
}
