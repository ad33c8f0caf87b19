import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { AuditEventPage, AuditExportQuery, AuditQuery } from '../contract/audit.ts'
import { createBackgroundWriter } from '../platform/background-writer.ts'
import type { Sql, Statements } from '../platform/database/database.ts'
import type { Export, Exports } from '../platform/fairness/exports.ts'
import { timeOf } from '../platform/id-time.ts'
import type { Caller } from '../platform/identity/identity.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../platform/pagination-cursor.ts'
import { createRefusals, type TeamEvent } from './refusals.ts'
import { createSerialStore } from './serial-store.ts'
import { type AuditFilters, findEvents, findStored, insertEvents, isSearch } from './store.ts'

/** A call of an operation of a mounted service. */
interface ServiceCall {
  caller: Caller
  operation: { service: string; operationId: string; path: string }
  method: string
  status: number
  durationMs: number
}

export interface AuditDeps {
  sql: Sql
  /** For events that requests without a place cause. Runs one statement for each kind of them at a time. */
  system: Sql
  /** For pages that examine many events. */
  searches: Statements
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

/** Half of the age at which the database refuses an event. */
const RENEW_AFTER_MS = 60_000

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
  const logLost = ({ detail, request_id, team_id, user_id, agent_id }: TeamEvent, error?: unknown) => {
    const facts = { request_id, team_id, user_id, agent_id, ...detail }
    log.error({ err: error, ...facts }, 'cannot record a refused request')
  }
  /** Never throws: the request is refused even if the audit event cannot be stored. */
  const insert = async (events: TeamEvent[]) => {
    let isStored = true
    for (let start = 0; start < events.length; start += BATCH_SIZE) {
      const batch = events.slice(start, start + BATCH_SIZE)
      try {
        await insertEvents(system, batch)
      } catch (error) {
        isStored = false
        for (const event of batch) logLost(event, error)
      }
    }
    return isStored
  }
  /** The database refuses an id of the past, which may be sealed already: events that waited for the database get new ids,
   * unless they were stored before the connection was lost. */
  const renewLate = async (events: TeamEvent[]): Promise<TeamEvent[]> => {
    const late = events.filter(({ id }) => timeOf(id) < now() - RENEW_AFTER_MS)
    if (late.length === 0) return events
    const stored = await findStored(system, late)
    for (const event of late) if (!stored.has(event.id)) event.id = newId()
    return events.filter(({ id }) => !stored.has(id))
  }
  const store = createSerialStore({ insert, onLost: logLost })
  const refusals = createRefusals({ store, now, newId })
  const calls = createBackgroundWriter<TeamEvent>({
    what: 'audit events of service calls',
    insert: async (events) => insertEvents(system, await renewLate(events)),
    countDropped: metrics.droppedAuditEvents(),
    log,
    batchSize: BATCH_SIZE,
  })

  return {
    async list({ teamId }: Caller, { limit = 100, cursor, ...query }: AuditQuery): Promise<AuditEventPage> {
      const filters = toFilters(query)
      const cursorScope = ['audit-events', ...Object.values(filters).map((value) => value ?? null)]
      const [after] = (decodeCursor(cursorScope, cursor, isPosition) ?? []) as [string?]
      const statements = isSearch(filters) ? searches : sql
      const found = await findEvents(statements, teamId, filters, { order: 'newest_first', after, limit })
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
            await insertEvents(searches, [toEvent(caller, 'audit_exported', detail)])
          }
          const after = position ?? afterId
          const { events, next } = await findEvents(searches, teamId, filters, {
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
      insertEvents(searches, [toEvent(caller, 'agents_exported', detail)]),

    /** Returns at once: an outage of the database does not stop forwarding. */
    recordCall: ({ caller, operation, method, status, durationMs }: ServiceCall): void =>
      calls.add(
        toEvent(caller, 'service_called', {
          ...{ service: operation.service, operation_id: operation.operationId },
          ...{ method, route: operation.path, status, duration_ms: durationMs },
        }),
      ),

    close: async (): Promise<void> => void (await Promise.all([refusals.close(), calls.close()])),
  }
}

function toFilters(query: Omit<AuditQuery, 'limit' | 'cursor'>): AuditFilters {
  const { agent_id, user_id, action, field, via, client_id, since, until } = query
  return { agentId: agent_id, userId: user_id, action, field, via, clientId: client_id, since, until }
}

/** Whether a page may examine more events than it returns, so that it needs a lane of its own. The query may be unchecked yet. */
export function isAuditSearch(query: unknown): boolean {
  return isSearch(toFilters(query as AuditQuery))
}

function isPosition([id, ...rest]: unknown[]): boolean {
  return isCanonicalUuid(id) && rest.length === 0
}
