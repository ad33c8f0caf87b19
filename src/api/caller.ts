/** Every permission, with what it allows. The names are what a token carries. */
export const PERMISSION_DESCRIPTIONS = {
  'agent:read':
    'Read the agents of the team, with masked secrets: one agent, the list, old revisions, differences, delegations, ' +
    'request budgets and the event stream. Read the display names of users. Save views of the list for yourself.',
  'agent:write':
    'Create and update agents, set their named secrets and restore old revisions. Save views of the list for the team.',
  'agent:lifecycle': 'Change the trust stage of an agent.',
  'agent:secret':
    'Read the secrets of an agent in clear text; the audit log records each read. Move `agent_url` to another origin ' +
    'without sending the stored `api_key` again.',
  'agent:delete':
    'Delete agents, recover deleted ones, remove values from their history, and erase the display names of users.',
  'evaluation:write':
    'Record completed evaluations of agents. Take permits from the request budget of an agent before calling it.',
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
