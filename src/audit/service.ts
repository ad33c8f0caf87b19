import type { Logger } from 'pino'
import type { AuditEventPage, AuditQuery } from '../contract/audit.ts'
import type { Sql } from '../platform/database.ts'
import type { Refusal } from '../platform/identity.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../platform/pagination-cursor.ts'
import { insertEvent, listEvents } from './store.ts'

export interface AuditDeps {
  sql: Sql
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ sql, log, now, newId }: AuditDeps) {
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

    /** Never throws: the request is refused even if the audit event cannot be stored. */
    recordRefusal: async ({ caller, permission, method, route, agentId }: Refusal): Promise<void> => {
      const { teamId, userId, requestId } = caller
      try {
        await insertEvent(sql, teamId, {
          id: newId(),
          at: Math.floor(now() / 1_000),
          user_id: userId,
          action: 'permission_refused',
          agent_id: agentId,
          request_id: requestId,
          detail: { permission, method, route },
        })
      } catch (error) {
        log.error(
          {
            ...{ err: error, request_id: requestId, team_id: teamId, user_id: userId, agent_id: agentId },
            ...{ permission, method, route },
          },
          'cannot record a refused request',
        )
      }
    },
  }
}

function isPosition([id, ...rest]: unknown[]): boolean {
  return isCanonicalUuid(id) && rest.length === 0
}
