import type { Logger } from 'pino'
import type { AuditEventPage, AuditQuery } from '../contract/audit.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import type { Metrics } from '../platform/metrics.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../platform/pagination-cursor.ts'
import { createBackgroundWriter } from './background-writer.ts'
import { createRefusals, type TeamEvent } from './refusals.ts'
import { insertEvents, listEvents } from './store.ts'

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
  log: Logger
  metrics: Metrics
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Audit = ReturnType<typeof createAudit>

/** Limits the size of a statement. */
const BATCH_SIZE = 500

export function createAudit({ sql, log, metrics, now, newId }: AuditDeps) {
  /** Never throws: the request is refused even if the audit event cannot be stored. */
  const store = async (events: TeamEvent[]) => {
    let isStored = true
    for (let start = 0; start < events.length; start += BATCH_SIZE) {
      const batch = events.slice(start, start + BATCH_SIZE)
      try {
        await insertEvents(sql, batch)
      } catch (error) {
        isStored = false
        for (const { detail, request_id, team_id, user_id, agent_id } of batch) {
          const facts = { request_id, team_id, user_id, agent_id, ...detail }
          log.error({ err: error, ...facts }, 'cannot record a refused request')
        }
      }
    }
    return isStored
  }
  const refusals = createRefusals({ store, now, newId })
  const calls = createBackgroundWriter({
    insert: (events) => insertEvents(sql, events),
    countDropped: metrics.droppedAuditEvents(),
    log,
    batchSize: BATCH_SIZE,
  })

  return {
    async list(
      { teamId }: { teamId: string },
      { agent_id: agentId, limit = 100, cursor }: AuditQuery,
    ): Promise<AuditEventPage> {
      const filters = ['audit-events', agentId ?? null]
      const [before] = (decodeCursor(filters, cursor, isPosition) ?? []) as [string?]
      const rows = await listEvents(sql, teamId, { agentId, before, limit: limit + 1 })
      const results = rows.slice(0, limit)
      const last = results.at(-1)
      return { results, next_cursor: rows.length > limit && last ? encodeCursor(filters, [last.id]) : null }
    },

    recordRefusal: refusals.record,

    /** Returns at once: an outage of the database does not stop forwarding. */
    recordCall: ({ caller, operation, method, status, durationMs }: ServiceCall): void =>
      calls.add({
        team_id: caller.teamId,
        id: newId(),
        at: Math.floor(now() / 1_000),
        user_id: caller.userId,
        action: 'service_called',
        agent_id: null,
        request_id: caller.requestId,
        detail: {
          ...{ service: operation.service, operation_id: operation.operationId },
          ...{ method, route: operation.path, status, duration_ms: durationMs },
        },
      }),

    close: async (): Promise<void> => void (await Promise.all([refusals.close(), calls.close()])),
  }
}

function isPosition([id, ...rest]: unknown[]): boolean {
  return isCanonicalUuid(id) && rest.length === 0
}
