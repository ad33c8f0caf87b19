import { type Static, Type } from 'typebox'
import { type AuditAction, OTHER_ACTIONS } from '../../agent/audit-event.ts'
import { AUDIT_VIAS } from '../../api/caller.ts'
import { REVISION_ACTIONS } from '../../api/events.ts'
import {
  ChangedByName,
  described,
  FreeFormObject,
  integer,
  NextCursor,
  nullable,
  oneOf,
  PageCursor,
  PageLimit,
  ref,
  UnixSeconds,
  Uuid,
} from '../../api/fields.ts'
import { headerSchemas, responseHeaders } from '../../api/operation.ts'

const AUDIT_ACTIONS: AuditAction[] = [
  ...REVISION_ACTIONS.map((action) => `agent_${action}` as const),
  ...OTHER_ACTIONS,
]

/** A description that says what each value means. */
function explain(intro: string, meanings: Record<string, string>): string {
  return [intro, ...Object.entries(meanings).map(([value, meaning]) => `\`${value}\`: ${meaning}.`)].join(' ')
}

const VIAS = {
  api: 'a request to this API',
  mcp: 'a request to the MCP server (Model Context Protocol)',
  import: 'an import of agents',
  set: 'a request to a configuration set',
}

const SET_MEMBERS = 'the set, the key and the names of the fields'

export const AuditEvent = Type.Object(
  {
    id: described(Uuid, 'Id of the audit event, a UUID version 7.'),
    at: described(UnixSeconds, 'Time of the action, Unix time in seconds.'),
    user_id: described(Uuid, 'User of the token that sent the request.'),
    changed_by_name: ChangedByName,
    action: oneOf(AUDIT_ACTIONS, {
      description: explain('What the user did.', {
        agent_revision_redacted: 'the user removed values from history',
        agents_exported: 'the user exported agents without their secrets',
        secrets_read: 'the user requested the secrets in clear text and may have received them',
        idempotency_conflict: 'the user repeated a creation with the same `Idempotency-Key` and another body',
        permission_refused: 'the token lacks the permission that the request needs; 403 `permission_missing`',
        service_called: 'the user called an operation of a mounted service that may have changed something',
        audit_exported: 'the user exported audit events',
        user_erased: 'the user erased the display name of a user',
        view_saved: 'the user created or replaced a saved view of the team',
        view_deleted: 'the user deleted a saved view of the team',
        set_applied: 'a configuration set adopted an agent or owns more of its fields, without changing it',
        set_released: 'a configuration set released an agent',
      }),
    }),
    agent_id: nullable(
      described(Uuid, 'Agent of the action. null: the request names no agent, or the record counts several.'),
    ),
    request_id: Type.String({
      description: 'The `x-request-id` of the request. The log lines of the request carry it.',
    }),
    via: oneOf(AUDIT_VIAS, { description: explain('The interface that the user used.', VIAS) }),
    client_id: nullable(
      Type.String({
        description: 'Application that the token was issued to. null: the token does not say it.',
      }),
    ),
    reason: nullable(
      Type.String({
        description:
          'Why the user made the change. null: no reason given, removed from history, or the agent was erased.',
      }),
    ),
    detail: described(
      FreeFormObject,
      explain(
        'Details of the action, never the values of fields. A change: the new revision, the names of the changed ' +
          'fields, and the `set` and `key` if a configuration set made it; `credential_warnings` has where a changed ' +
          'value looks like a credential, as the header `console-credential-warnings` does, and `client_name` the ' +
          'name that an MCP client gives itself.',
        {
          secrets_read: 'their names',
          permission_refused:
            'the missing permission, the method and the route. Further ones of the same user and operation within a ' +
            'minute are one record: `count` has their number and `since` the time of the first, Unix time in ' +
            'seconds; the other members are those of the last one',
          service_called:
            'the service, the id, method and route of the operation, the status of the response (499 if the client ' +
            'disconnected before it) and the milliseconds until it began',
          agents_exported:
            'the format, the names of the filters, and the agent after which the export continued',
          audit_exported: 'the parameters of the export',
          user_erased: 'the user whose name was erased',
          view_saved: 'the name of the view',
          view_deleted: 'the name of the view',
          set_applied: SET_MEMBERS,
          set_released: SET_MEMBERS,
        },
      ),
    ),
  },
  {
    $id: 'AuditEvent',
    description: 'One record of the audit log: what a user did, or what the token did not permit.',
  },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditEventPage = Type.Object(
  {
    results: Type.Array(ref(AuditEvent), { description: 'Audit events, newest first.' }),
    next_cursor: described(
      NextCursor,
      'Send it as `cursor` to get the next page. null on the last page. A page of a search can have fewer results ' +
        'than `limit`, or none, although there is a next page.',
    ),
  },
  { $id: 'AuditEventPage', description: 'A page of the audit log.' },
)
export type AuditEventPage = Static<typeof AuditEventPage>

/** A time in milliseconds must fit into the 48 bits of a UUID version 7. */
const AuditTime = integer({ minimum: 0, maximum: 281_474_976_000 })

const FILTERS = {
  agent_id: Type.Optional(
    described(Uuid, 'Return only the events of this agent. Default: the events of the whole team.'),
  ),
  user_id: Type.Optional(described(Uuid, 'Return only the events of this user. Default: of every user.')),
  action: Type.Optional(
    oneOf(AUDIT_ACTIONS, { description: 'Return only the events with this action. Default: every action.' }),
  ),
  field: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Return only the events whose `detail.fields` contains this name: changes of the field, removals of its ' +
        'values from history, and reads of the secret. `secrets.<name>` for a named secret. At most 255 characters. ' +
        'Default: every event.',
    }),
  ),
  via: Type.Optional(
    oneOf(AUDIT_VIAS, {
      description: `${explain('Return only the events of this interface.', VIAS)} Default: every interface.`,
    }),
  ),
  client_id: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Return only the events of tokens that were issued to this application. At most 255 characters. ' +
        'Default: every application.',
    }),
  ),
  since: Type.Optional(
    described(
      AuditTime,
      'Return only the events at this time or later, Unix time in seconds. Default: from the beginning.',
    ),
  ),
}

export const AuditQuery = Type.Object({
  ...FILTERS,
  until: Type.Optional(
    described(
      AuditTime,
      'Return only the events before this time, Unix time in seconds. Default: up to now.',
    ),
  ),
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Type.Object({
  ...FILTERS,
  until: Type.Optional(
    described(
      AuditTime,
      'Export only the events whose `id` was made before this time, Unix time in seconds. Default: one minute ago. ' +
        'Newer events may not all be stored yet: an export that continues after them would miss some.',
    ),
  ),
  after_id: Type.Optional(
    described(
      Uuid,
      'Export only the events after the one with this id. To continue an export that was cut off, or to fetch what ' +
        'is new, send the `id` of the last complete line with the same filters. Default: from the beginning.',
    ),
  ),
})
export type AuditExportQuery = Static<typeof AuditExportQuery>

/** One JSON text in each line. */
export const auditExportResponse = {
  description:
    'Audit events, oldest first, one JSON object in each line. A response that breaks off without its final chunk is ' +
    'not complete.',
  headers: headerSchemas(responseHeaders('cache-control')),
  content: { 'application/x-ndjson': { schema: ref(AuditEvent), examples: {} } },
}

export const AUDIT_SCHEMAS = [AuditEvent, AuditEventPage]
