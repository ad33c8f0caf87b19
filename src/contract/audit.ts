import { type Static, Type } from 'typebox'
import { FreeFormObject, integer, NextCursor, nullable, oneOf, ref, UnixSeconds, Uuid } from './fields.ts'
import { REVISION_ACTIONS, type RevisionAction } from './history.ts'

const OTHER_ACTIONS = [
  'agent_evaluation_recorded',
  'agent_deleted',
  'secrets_revealed',
  'permission_refused',
] as const

type AuditAction = `agent_${RevisionAction}` | (typeof OTHER_ACTIONS)[number]

const AUDIT_ACTIONS: AuditAction[] = [
  ...REVISION_ACTIONS.map((action) => `agent_${action}` as const),
  ...OTHER_ACTIONS,
]

export const AuditEvent = Type.Object(
  {
    id: Uuid,
    at: UnixSeconds,
    user_id: Uuid,
    action: oneOf(AUDIT_ACTIONS),
    agent_id: nullable(Uuid),
    request_id: Type.String({ description: 'The `x-request-id` of the request' }),
    detail: {
      ...FreeFormObject,
      description:
        'Of a change, the revision it made and the names of its fields; of secrets revealed, their names; of a ' +
        'refusal, the permission that was missing and the route. Never a value.',
    },
  },
  { $id: 'AuditEvent', description: 'What somebody did, or was refused' },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditEventPage = Type.Object(
  {
    results: Type.Array(ref(AuditEvent)),
    next_cursor: NextCursor,
  },
  { $id: 'AuditEventPage', description: 'Audit events, newest first' },
)
export type AuditEventPage = Static<typeof AuditEventPage>

export const AuditQuery = Type.Object({
  agent_id: Type.Optional(Uuid),
  limit: Type.Optional(integer({ format: 'int32', minimum: 1, maximum: 500, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AUDIT_SCHEMAS = [AuditEvent, AuditEventPage]
