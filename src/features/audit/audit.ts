import type { Readable } from 'node:stream'
import type { Caller, Refusal } from '../../api/caller.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../api/pages.ts'
import type { Core } from '../../core.ts'
import type { Factory } from '../../platform/observe/metrics.ts'
import { createBackgroundWriter } from '../../platform/postgres/background-writer.ts'
import type { Export } from '../../platform/responses.ts'
import {
  type AuditFilters,
  findEvents,
  insertEvents,
  isSearch,
  type TeamEvent,
  teamEvent,
} from './queries.ts'
import { Refusals } from './refusals.ts'
import type { AuditEventPage, AuditExportQuery, AuditQuery } from './schema.ts'

export async function listAuditEvents(
  { database }: Core,
  { teamId }: Caller,
  { limit = 100, cursor, ...query }: AuditQuery,
): Promise<AuditEventPage> {
  const filters = toFilters(query)
  const cursorScope = ['audit-events', ...Object.values(filters).map((value) => value ?? null)]
  const [after] = (decodeCursor(cursorScope, cursor, isPosition) ?? []) as [string?]
  // A page of a search examines many events.
  const sessions = isSearch(filters) ? database.searches : database
  const found = await findEvents(sessions.of(teamId), teamId, filters, {
    order: 'newest_first',
    after,
    limit,
  })
  const next = found.next === undefined ? null : encodeCursor(cursorScope, [found.next])
  return { results: found.events, next_cursor: next }
}

/** Older events are all stored, unless the database was down: then those of service calls come later. */
const SETTLED_SECONDS = 60

const EXPORT_PAGE_SIZE = 500

/** Returns events as lines of JSON, oldest first. */
export function exportAuditEvents(
  core: Core,
  caller: Caller,
  { after_id: afterId, until = Math.floor(core.now() / 1_000) - SETTLED_SECONDS, ...query }: AuditExportQuery,
  endWithToken: Export<string>['endWithToken'],
): Promise<Readable> {
  const { teamId } = caller
  const filters = toFilters(query)
  const sql = core.database.searches.of(teamId)
  return core.exports.start<string>({
    team: teamId,
    endWithToken,
    read: async (position) => {
      if (position === undefined) {
        const detail = { ...query, until, after_id: afterId }
        await insertEvents(sql, [teamEvent(core, caller, 'audit_exported', detail)])
      }
      const { events, next } = await findEvents(sql, teamId, filters, {
        order: 'oldest_first',
        after: position ?? afterId,
        limit: EXPORT_PAGE_SIZE,
        // `at` can be later than the id: an event left out for it would never come after the last id.
        recordedBefore: until,
      })
      return { text: events.map((event) => `${JSON.stringify(event)}\n`).join(''), next }
    },
  })
}

/** Throws if it cannot be stored: an export without a record must not begin. */
export async function recordAgentExport(core: Core, caller: Caller, detail: object): Promise<void> {
  const event = teamEvent(core, caller, 'agents_exported', detail)
  await insertEvents(core.database.searches.of(caller.teamId), [event])
}

/** A call of an operation of a mounted service. */
interface ServiceCall {
  caller: Caller
  operation: { service: string; operationId: string; path: string }
  method: string
  status: number
  durationMs: number
}

/** Stores in the background the events that requests cause without a place at the database. */
export class AuditRecorder {
  readonly #core: Core
  readonly #calls: ReturnType<typeof createBackgroundWriter<TeamEvent>>
  readonly #refused: ReturnType<typeof createBackgroundWriter<TeamEvent>>
  readonly #refusals: Refusals

  constructor(core: Core) {
    const { database, log, metrics, now, newId } = core
    const shared = {
      insert: (events: TeamEvent[]) => insertEvents(database.system, events),
      countDropped: metrics.of(countDroppedAuditEvents),
      log,
    }
    this.#core = core
    this.#calls = createBackgroundWriter({ what: 'audit events of service calls', ...shared })
    // The request is refused even if its event cannot be stored.
    this.#refused = createBackgroundWriter({
      what: 'audit events of refused requests',
      ...shared,
      delayMs: 0,
    })
    this.#refusals = new Refusals({ now, newId, store: (event) => this.#refused.add(event) })
  }

  recordRefusal(refusal: Refusal): Promise<void> {
    return this.#refusals.record(refusal)
  }

  /** Returns at once: an outage of the database does not stop forwarding. */
  recordCall({ caller, operation, method, status, durationMs }: ServiceCall): void {
    const event = teamEvent(this.#core, caller, 'service_called', {
      service: operation.service,
      operation_id: operation.operationId,
      method,
      route: operation.path,
      status,
      duration_ms: durationMs,
    })
    void this.#calls.add(event)
  }

  async close(): Promise<void> {
    await this.#refusals.close()
    await Promise.all([this.#refused.close(), this.#calls.close()])
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
