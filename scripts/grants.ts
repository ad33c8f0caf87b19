/** What the role that serves needs: `migrate` grants it, and `doctor` checks it. */
export const TABLE_GRANTS: Record<string, readonly string[]> = {
  agents: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  deleted_agents: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  agent_revisions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  agent_secrets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // Triggers of agents write delegations and agent_filters.
  delegations: ['SELECT'],
  agent_evaluations: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  saved_views: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  managed_agents: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  users: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  agent_filters: ['SELECT'],
  idempotency_keys: ['SELECT', 'INSERT', 'DELETE'],
  bulk_requests: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  bulk_changes: ['SELECT', 'INSERT', 'DELETE'],
  imported_agents: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // DELETE is for the relay, UPDATE to redact a reason.
  outbox: ['SELECT', 'INSERT', 'DELETE', 'UPDATE (payload)'],
  event_delivery: ['SELECT', 'UPDATE'],
  audit_events: ['SELECT', 'INSERT'],
  audit_partitions: ['SELECT'],
  schema_migrations: ['SELECT'],
}

export const FUNCTION_GRANTS = ['create_audit_partition(date)']

/** Only with AUDIT_RETENTION_MONTHS. `migrate` does not grant them. */
export const RETENTION_GRANTS = ['expire_audit_partition(date)', 'drop_expired_audit_partition()']

/** With a right that is not listed above, records of the audit log could be changed or removed. */
export const APPEND_ONLY = ['audit_events']
