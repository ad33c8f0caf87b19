import type { AgentDelegation, AgentDependentPage, DelegationQuery } from '../../contract/delegation.ts'
import { Problem } from '../../contract/problem.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../platform/pagination-cursor.ts'
import { findCurrentRevision } from '../history/store.ts'
import { createIsIndexed } from './backfill.ts'
import { listDependents } from './dependents-store.ts'
import { findCycles, findWeakest } from './findings.ts'
import { type Moment, pastGraph } from './past.ts'
import { findMomentOf, findRevisionsAt } from './past-store.ts'
import { presentGraph } from './present.ts'
import { walk } from './walk.ts'

const MAX_WALK_MS = 1_000

export type DelegationGraph = ReturnType<typeof createDelegationGraph>

interface DelegationGraphDeps {
  /** With a time limit for each statement. */
  sql: Statements
  /** Milliseconds since the epoch. */
  now: () => number
}

export function createDelegationGraph({ sql, now }: DelegationGraphDeps) {
  const isIndexed = createIsIndexed(sql)

  const findMoment = async ({ teamId }: Caller, id: string, asOf: string): Promise<Moment> => {
    if (asOf.startsWith('@')) {
      const time = Number(asOf.slice(1))
      const [root] = await findRevisionsAt(sql, teamId, [id], time)
      if (root) return { time, root }
    } else {
      const found = await findMomentOf(sql, teamId, id, Number(asOf))
      if (found) return { time: found.changed_at, root: found }
    }
    const current = await findCurrentRevision(sql, teamId, id)
    throw new Problem(current === undefined ? 'agent_not_found' : 'revision_not_found')
  }

  return {
    async read(
      caller: Caller,
      id: string,
      { depth, as_of: asOf }: DelegationQuery,
    ): Promise<AgentDelegation> {
      const startedAt = now()
      const moment = asOf === undefined ? undefined : await findMoment(caller, id, asOf)
      const graph = moment ? pastGraph(sql, caller.teamId, moment) : presentGraph(sql, caller.teamId)
      const found = await walk(graph, id, {
        depth,
        isLate: () => now() - startedAt > MAX_WALK_MS,
      })
      if (!found) throw new Problem('agent_not_found')
      const limits = [...found.limits, ...((await isIndexed()) ? [] : (['indexing'] as const))]
      return {
        agent_id: id,
        as_of: moment ? { revision: moment.root.revision, time: moment.time } : null,
        nodes: found.nodes,
        edges: found.edges,
        cycles: findCycles(found),
        weakest: findWeakest(found),
        complete: limits.length === 0,
        limits,
      }
    },

    async listDependents(
      { teamId }: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentDependentPage> {
      const [after = null] = (decodeCursor(id, cursor, isPosition) ?? []) as string[]
      if ((await findCurrentRevision(sql, teamId, id)) === undefined) throw new Problem('agent_not_found')
      const rows = await listDependents(sql, teamId, id, { after, limit: limit + 1 })
      const results = rows.slice(0, limit)
      const last = results.at(-1)
      return { results, next_cursor: rows.length > limit && last ? encodeCursor(id, [last.id]) : null }
    },
  }
}

const isPosition = ([id, ...rest]: unknown[]) => isCanonicalUuid(id) && rest.length === 0
