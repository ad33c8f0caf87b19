/** The beginning of every INSERT of an audit event. The change and its audit event are one statement, so that neither is
 * stored without the other. */
export const INSERT_AUDIT_EVENT =
  'INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)'

/** The parameters of a statement that only its audit event needs. */
export interface AuditIds {
  eventId: string
  requestId: string
}
