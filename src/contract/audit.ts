import { type Static, Type } from 'typebox'
import {
  described,
  FreeFormObject,
  NextCursor,
  nullable,
  oneOf,
  PageCursor,
  PageLimit,
  ref,
  UnixSeconds,
  Uuid,
} from './fields.ts'
import { REVISION_ACTIONS, type RevisionAction } from './history.ts'

const OTHER_ACTIONS = [
  'agent_evaluation_recorded',
  'agent_revision_redacted',
  'secrets_read',
  'idempotency_conflict',
  'permission_refused',
  'service_called',
] as const

type AuditAction = `agent_${RevisionAction}` | (typeof OTHER_ACTIONS)[number]

const AUDIT_ACTIONS: AuditAction[] = [
  ...REVISION_ACTIONS.map((action) => `agent_${action}` as const),
  ...OTHER_ACTIONS,
]

export const AuditEvent = Type.Object(
  {
    id: described(Uuid, 'Id of the audit event, a UUID version 7.'),
    at: described(UnixSeconds, 'Time of the action, Unix time in seconds.'),
    user_id: described(Uuid, 'User of the token that sent the request.'),
    action: oneOf(AUDIT_ACTIONS, {
      description:
        'What the user did. `agent_revision_redacted`: the user removed values from history. `secrets_read`: the user ' +
        'requested the secrets in clear text and may have received them. `idempotency_conflict`: the user repeated a creation ' +
        'with the same `Idempotency-Key` and another body. `permission_refused`: the token lacks the permission ' +
        'that the request needs; the response was 403 `permission_missing`. `service_called`: the user called an operation of a ' +
        'mounted service that may have changed something.',
    }),
    agent_id: nullable(
      described(
        Uuid,
        'Agent that the action concerns. null: the request names no agent, or the record counts requests for several.',
      ),
    ),
    request_id: Type.String({
      description: 'The `x-request-id` of the request. The log lines of the request carry it.',
    }),
    detail: described(
      FreeFormObject,
      'Details of the action. A change: the new revision, the names of the changed fields, and in `credential_warnings` where a ' +
        'changed value looks like a credential, as in the header `console-credential-warnings`. A read of secrets: their ' +
        'names. `permission_refused`: the missing permission, the method and the route. Further ones of the same user and operation ' +
        'within a minute are one record: `count` has their number and `since` the time of the first of them, Unix time in ' +
        'seconds; the other members are those of the last one. `service_called`: the service, the id, method and route of the ' +
        'operation, the status of the response (499 if the client disconnected before it) and the duration in milliseconds. It ' +
        'never contains values.',
    ),
  },
  {
    $id: 'AuditEvent',
    description:
      'One record of the audit log: a user changed an agent, requested its secrets, sent a request without the permission ' +
      'that it needs, or called an operation of a mounted service that may have changed something.',
  },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditEventPage = Type.Object(
  {
    results: Type.Array(ref(AuditEvent), { description: 'Audit events, newest first.' }),
    next_cursor: NextCursor,
  },
  { $id: 'AuditEventPage', description: 'A page of the audit log.' },
)
export type AuditEventPage = Static<typeof AuditEventPage>

export const AuditQuery = Type.Object({
  agent_id: Type.Optional(
    described(Uuid, 'Return only the events of this agent. Default: the events of the whole team.'),
  ),
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AUDIT_SCHEMAS = [AuditEvent, AuditEventPage]
