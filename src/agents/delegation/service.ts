import type { AgentDelegation, AgentDependentPage, DelegationQuery } from '../../contract/delegation.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sessions } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../platform/pagination-cursor.ts'
import { findCurrentRevision } from '../history/store.ts'
import { listDependents } from './dependents-store.ts'
import { findCycles, findWeakest } from './findings.ts'
import { walk } from './walk.ts'

const MAX_WALK_MS = 1_000

export type DelegationGraph = ReturnType<typeof createDelegationGraph>

interface DelegationGraphDeps {
  /** With a time limit for each statement. */
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
}

export function createDelegationGraph({ sql, now }: DelegationGraphDeps) {
  return {
    async read({ teamId }: Caller, id: string, { depth }: DelegationQuery): Promise<AgentDelegation> {
      const startedAt = now()
      const isLate = () => now() - startedAt > MAX_WALK_MS
      const found = await walk(sql.of(teamId), teamId, id, { depth, isLate })
      if (!found) throw new Problem('agent_not_found')
      return {
        agent_id: id,
        nodes: found.nodes,
        edges: found.edges,
        cycles: findCycles(found),
        weakest: findWeakest(found),
        complete: found.limits.length === 0,
        limits: found.limits,
      }
    },

    async listDependents(
      { teamId }: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentDependentPage> {
      const [after = null] = (decodeCursor(id, cursor, isPosition) ?? []) as string[]
      if ((await findCurrentRevision(sql.of(teamId), teamId, id)) === undefined)
        throw new Problem('agent_not_found')
      const rows = await listDependents(sql.of(teamId), teamId, id, { after, limit: limit + 1 })
      return toPage(rows, limit, id, (last) => [last.id])
    },
  }
}

const isPosition = ([id, ...rest]: unknown[]) => isCanonicalUuid(id) && rest.length === 0
