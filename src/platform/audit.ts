/** How every statement that leaves an audit record begins it. What the record is about is written by the same
 * statement, so that there is never one without the other. */
export const INTO_AUDIT =
  'INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)'

/** What a statement needs besides its own parameters to leave a record. */
export interface AuditTrace {
  eventId: string
  requestId: string
}
