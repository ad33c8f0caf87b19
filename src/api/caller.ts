/** Every permission, with what it allows. The names are what a token carries. */
export const PERMISSION_DESCRIPTIONS = {
  'agent:read':
    'Read the agents of the team: one agent, the list, old revisions, differences, delegations and the event stream. Secrets are ' +
    'masked. Read the request budgets of agents. Read the display names of users. Save views of the list for yourself.',
  'agent:write':
    'Create agents, update them, set their named secrets and restore an old revision. Save views of the list for the team.',
  'agent:lifecycle': 'Change the trust stage of an agent.',
  'agent:secret':
    'Read the secrets of an agent in clear text; the audit log records each read. Move `agent_url` to another origin while an ' +
    '`api_key` is stored, without sending the key.',
  'agent:delete':
    'Delete agents, recover deleted ones, remove values from their history, and erase the display names of users.',
  'evaluation:write':
    'Record the result of a completed evaluation of an agent. Take permits from the request budget of an agent, before calling it.',
  'audit:read': 'Read and export the audit log of the team.',
  'service:read': 'Read the state of the services behind the console.',
} as const

export type Permission = keyof typeof PERMISSION_DESCRIPTIONS

export const PERMISSIONS = Object.keys(PERMISSION_DESCRIPTIONS) as Permission[]

/** The user and team that a request acts for. */
export interface Caller {
  userId: string
  teamId: string
  requestId: string
  /** The display name of the user; null if the token has none. */
  name: string | null
  /** The application that the token was issued to; null if the token does not say it. */
  clientId: string | null
  /** The name that an MCP client gives itself. Nothing verifies it. */
  clientName?: string
  /** The interface through which the user acts. */
  via: AuditVia
  permissions: ReadonlySet<string>
  /** Why the caller makes the change, if the request says it. */
  reason?: string
}

/** An authenticated user lacks the permission for an operation. */
export interface Refusal {
  caller: Omit<Caller, 'permissions' | 'reason' | 'clientName'>
  permission: string
  method: string
  route: string
  /** Null if the path contains no agent id. */
  agentId: string | null
}

/** The interfaces through which a user can act. */
export const AUDIT_VIAS = ['api', 'mcp', 'import', 'set'] as const

export type AuditVia = (typeof AUDIT_VIAS)[number]
