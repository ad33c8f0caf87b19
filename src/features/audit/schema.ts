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

const VIA_MEANING =
  '`api`: a request to this API. `mcp`: a request to the MCP server (Model Context Protocol). `import`: an import of agents. `set`: a ' +
  'request to a configuration set.'

export const AuditEvent = Type.Object(
  {
    id: described(Uuid, 'Id of the audit event, a UUID version 7.'),
    at: described(UnixSeconds, 'Time of the action, Unix time in seconds.'),
    user_id: described(Uuid, 'User of the token that sent the request.'),
    changed_by_name: ChangedByName,
    action: oneOf(AUDIT_ACTIONS, {
      description:
        'What the user did. `agent_revision_redacted`: the user removed values from history. `agents_exported`: the user exported agents without their secrets. `secrets_read`: the user ' +
        'requested the secrets in clear text and may have received them. `idempotency_conflict`: the user repeated a creation ' +
        'with the same `Idempotency-Key` and another body. `permission_refused`: the token lacks the permission ' +
        'that the request needs; the response was 403 `permission_missing`. `service_called`: the user called an operation of a ' +
        'mounted service that may have changed something. `audit_exported`: the user exported audit events. `user_erased`: the ' +
        'user erased the display name of a user. `view_saved`, `view_deleted`: the user changed a saved view of the team. ' +
        '`set_applied`: a configuration set adopted an agent or became the owner of more of its fields, without changing it. ' +
        '`set_released`: a configuration set released an agent.',
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
    via: oneOf(AUDIT_VIAS, { description: `The interface that the user used. ${VIA_MEANING}` }),
    client_id: nullable(
      Type.String({
        description: 'Application that the token was issued to. null: the token does not say it.',
      }),
    ),
    reason: nullable(
      Type.String({
        description:
          'Why the user made the change. null: the user gave no reason, it was removed from history, or the agent was erased.',
      }),
    ),
    detail: described(
      FreeFormObject,
      'Details of the action. A change: the new revision, the names of the changed fields, the `set` and `key` if a configuration set made it, and in `credential_warnings` where a ' +
        'changed value looks like a credential, as in the header `console-credential-warnings`; if an MCP client made it, `client_name` may have the ' +
        'name that the client gives itself. A read of secrets: their ' +
        'names. `permission_refused`: the missing permission, the method and the route. Further ones of the same user and operation ' +
        'within a minute are one record: `count` has their number and `since` the time of the first of them, Unix time in ' +
        'seconds; the other members are those of the last one. `service_called`: the service, the id, method and route of the ' +
        'operation, the status of the response (499 if the client disconnected before it) and the milliseconds until it began. ' +
        '`agents_exported`: the format, the names of the filters, and the agent after which the export continued. ' +
        '`audit_exported`: the parameters of the export. `user_erased`: the user whose name was erased. A view: its name. `set_applied`, ' +
        '`set_released`: the set, the key and the names of the fields. It never contains values of fields.',
    ),
  },
  {
    $id: 'AuditEvent',
    description:
      'One record of the audit log: a user changed an agent, requested its secrets, sent a request without the permission ' +
      'that it needs, called an operation of a mounted service that may have changed something, exported audit events or erased ' +
      'the name of a user.',
  },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditEventPage = Type.Object(
  {
    results: Type.Array(ref(AuditEvent), { description: 'Audit events, newest first.' }),
    next_cursor: described(
      NextCursor,
      'Send it as `cursor` to get the next page. null on the last page. A page of a search can have fewer results than `limit`, or ' +
        'none, although there is a next page.',
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
        'Return only the events whose `detail.fields` contains this name: changes of the field, removals of its values from ' +
        'history, and reads of the secret. `secrets.<name>` for a named secret. At most 255 characters. Default: every event.',
    }),
  ),
  via: Type.Optional(
    oneOf(AUDIT_VIAS, {
      description: `Return only the events of this interface. ${VIA_MEANING} Default: every interface.`,
    }),
  ),
  client_id: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Return only the events of tokens that were issued to this application. At most 255 characters. Default: every ' +
        'application.',
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
      'Export only the events whose `id` was made before this time, Unix time in seconds. Default: one minute ago. Events that are ' +
        'newer may not all be stored yet, and an export that continues after them with `after_id` would miss some.',
    ),
  ),
  after_id: Type.Optional(
    described(
      Uuid,
      'Export only the events after the one with this id. To continue an export that was cut off, or to fetch what is new, send the ' +
        '`id` of the last complete line with the same filters. Default: from the beginning.',
    ),
  ),
})
export type AuditExportQuery = Static<typeof AuditExportQuery>

/** One JSON text in each line. */
export const auditExportResponse = {
  description:
    'Audit events, oldest first, one JSON object in each line. A response that breaks off without its final chunk is not complete.',
  headers: headerSchemas(responseHeaders('cache-control')),
  content: { 'application/x-ndjson': { schema: ref(AuditEvent), examples: {} } },
}

export const AUDIT_SCHEMAS = [AuditEvent, AuditEventPage]
