import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Caller } from '../../api/caller.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../api/pages.ts'
import type { Factory, Metrics } from '../../platform/observe/metrics.ts'
import { createBackgroundWriter } from '../../platform/postgres/background-writer.ts'
import type { Sessions, Sql } from '../../platform/postgres/database.ts'
import type { Export, Exports } from '../../platform/responses.ts'
import { type AuditFilters, findEvents, insertEvents, isSearch } from './queries.ts'
import { createRefusals, type TeamEvent } from './refusals.ts'
import type { AuditEventPage, AuditExportQuery, AuditQuery } from './schema.ts'

/** A call of an operation of a mounted service. */
interface ServiceCall {
  caller: Caller
  operation: { service: string; operationId: string; path: string }
  method: string
  status: number
  durationMs: number
}

export interface AuditDeps {
  sql: Sessions
  /** For events that requests without a place cause. Runs one statement for each kind of them at a time. */
  system: Sql
  /** For pages that examine many events. */
  searches: Sessions
  exports: Exports
  log: Logger
  metrics: Metrics
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Audit = ReturnType<typeof createAudit>

/** Limits the size of a statement. */
const BATCH_SIZE = 500

/** Older events are all stored, unless the database was down: then those of service calls come later. */
const SETTLED_SECONDS = 60

const EXPORT_PAGE_SIZE = 500

export function createAudit({ sql, system, searches, exports, log, metrics, now, newId }: AuditDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)
  /** An event that concerns no agent. */
  const toEvent = (caller: Caller, action: TeamEvent['action'], detail: object): TeamEvent => ({
    team_id: caller.teamId,
    id: newId(),
    at: nowSeconds(),
    user_id: caller.userId,
    action,
    agent_id: null,
    request_id: caller.requestId,
    via: caller.via,
    client_id: caller.clientId,
    detail: { ...detail },
  })
  const countDropped = metrics.of(countDroppedAuditEvents)
  const insert = (events: TeamEvent[]) => insertEvents(system, events)
  // The request is refused even if its event cannot be stored.
  const refused = createBackgroundWriter<TeamEvent>({
    what: 'audit events of refused requests',
    insert,
    countDropped,
    log,
    batchSize: BATCH_SIZE,
    delayMs: 0,
  })
  const refusals = createRefusals({ store: (event) => refused.add(event), now, newId })
  const calls = createBackgroundWriter<TeamEvent>({
    what: 'audit events of service calls',
    insert,
    countDropped,
    log,
    batchSize: BATCH_SIZE,
  })

  return {
    async list({ teamId }: Caller, { limit = 100, cursor, ...query }: AuditQuery): Promise<AuditEventPage> {
      const filters = toFilters(query)
      const cursorScope = ['audit-events', ...Object.values(filters).map((value) => value ?? null)]
      const [after] = (decodeCursor(cursorScope, cursor, isPosition) ?? []) as [string?]
      const sessions = isSearch(filters) ? searches : sql
      const found = await findEvents(sessions.of(teamId), teamId, filters, {
        order: 'newest_first',
        after,
        limit,
      })
      const next = found.next === undefined ? null : encodeCursor(cursorScope, [found.next])
      return { results: found.events, next_cursor: next }
    },

    /** Returns events as lines of JSON, oldest first. */
    export: (
      caller: Caller,
      { after_id: afterId, until = nowSeconds() - SETTLED_SECONDS, ...query }: AuditExportQuery,
      endWithToken: Export<string>['endWithToken'],
    ): Promise<Readable> => {
      const filters = toFilters(query)
      const { teamId } = caller
      return exports.start<string>({
        team: teamId,
        endWithToken,
        read: async (position) => {
          if (position === undefined) {
            const detail = { ...query, until, after_id: afterId }
            await insertEvents(searches.of(teamId), [toEvent(caller, 'audit_exported', detail)])
          }
          const after = position ?? afterId
          const { events, next } = await findEvents(searches.of(teamId), teamId, filters, {
            ...{ order: 'oldest_first', after, limit: EXPORT_PAGE_SIZE },
            // `at` can be later than the id: an event left out for it would never come after the last id.
            recordedBefore: until,
          })
          return { text: events.map((event) => `${JSON.stringify(event)}\n`).join(''), next }
        },
      })
    },

    recordRefusal: refusals.record,

    /** Throws if it cannot be stored: an export without a record must not begin. */
    recordExport: (caller: Caller, detail: object): Promise<void> =>
      insertEvents(searches.of(caller.teamId), [toEvent(caller, 'agents_exported', detail)]),

    /** Returns at once: an outage of the database does not stop forwarding. */
    recordCall: ({ caller, operation, method, status, durationMs }: ServiceCall): void =>
      void calls.add(
        toEvent(caller, 'service_called', {
          ...{ service: operation.service, operation_id: operation.operationId },
          ...{ method, route: operation.path, status, duration_ms: durationMs },
        }),
      ),

    async close(): Promise<void> {
      await refusals.close()
      await Promise.all([refused.close(), calls.close()])
    },
  }
}

function toFilters(query: Omit<AuditQuery, 'limit' | 'cursor'>): AuditFilters {
  const { agent_id, user_id, action, field, via, client_id, since, until } = query
  return { agentId: agent_id, userId: user_id, action, field, via, clientId: client_id, since, until }
}

function isPosition([id, ...rest]: unknown[]): boolean {
  return isCanonicalUuid(id) && rest.length === 0
}

export function countDroppedAuditEvents(create: Factory) {
  const dropped = create.counter(
    'console_audit_events_dropped_total',
    'Calls of services and refused requests that are missing in the audit log because the database did not store them',
  )
  return (count: number) => dropped.inc(count)
}
