import { auditOrigin } from '../../agent/audit-event.ts'
import type { SetKey } from '../../agent/change-statement.ts'
import type { Caller } from '../../api/caller.ts'
import { decodeCursor, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Sessions } from '../../platform/postgres/database.ts'
import { type ApplyDeps, createApply } from './apply.ts'
import { findDrift } from './drift.ts'
import {
  type DriftedBinding,
  deleteBinding,
  findBinding,
  increaseSetVersion,
  listDrifted,
  listManagedAgents,
  listSets,
} from './queries.ts'
import {
  AGENT_KEY,
  type AgentDrift,
  type AgentDriftPage,
  type ConfigurationSetList,
  type ManagedAgentPage,
} from './schema.ts'

interface SetsDeps extends ApplyDeps {
  searches: Sessions
}

interface PageQuery {
  limit?: number
  cursor?: string
}

/** A page of drift ends after so many bytes of values: those of one agent can have a megabyte. */
const MAX_DRIFT_BYTES = 1024 * 1024

export type Sets = ReturnType<typeof createSets>

export function createSets(deps: SetsDeps) {
  const { sql, searches, now, newId } = deps

  /** Undefined if the agent has the applied values again. */
  const readDrift = async (teamId: string, binding: DriftedBinding): Promise<AgentDrift | undefined> => {
    const { key, agent_id, applied_revision, revision, drift, changes } = binding
    const compared = { appliedRevision: applied_revision, revision, fields: Object.keys(drift) }
    const drifted = await findDrift(sql.of(teamId), teamId, agent_id, compared)
    const fields = drifted.flatMap((each) => {
      const change = changes.find((made) => made.revision === drift[each.field])
      return change ? [{ ...each, ...change }] : []
    })
    return fields.length === 0 ? undefined : { key, agent_id, revision, applied_revision, fields }
  }

  return {
    apply: createApply(deps),

    async list({ teamId }: Caller): Promise<ConfigurationSetList> {
      return { results: await listSets(searches.of(teamId), teamId) }
    },

    async listAgents(
      { teamId }: Caller,
      set: string,
      { limit = 100, cursor }: PageQuery,
    ): Promise<ManagedAgentPage> {
      const after = readCursor('agents', set, cursor)
      const rows = await listManagedAgents(sql.of(teamId), teamId, set, { after, limit: limit + 1 })
      return toPage(rows, limit, ['agents', set], (last) => [last.key])
    },

    async drift({ teamId }: Caller, set: string, { limit = 20, cursor }: PageQuery): Promise<AgentDriftPage> {
      const after = readCursor('drift', set, cursor)
      const rows = await listDrifted(sql.of(teamId), teamId, set, { after, limit: limit + 1 })
      const results: AgentDrift[] = []
      let visited = 0
      let bytes = 0
      for (const row of rows.slice(0, limit)) {
        if (bytes > MAX_DRIFT_BYTES) break
        visited++
        const drift = await readDrift(teamId, row)
        if (!drift) continue
        results.push(drift)
        bytes += JSON.stringify(drift).length
      }
      return { ...toPage(rows, visited, ['drift', set], (last) => [last.key]), results }
    },

    /** Lets go of an agent. The agent stays as it is. */
    async release(caller: Caller, name: SetKey): Promise<void> {
      const { teamId, reason } = caller
      await sql.of(teamId).transaction(async (statements) => {
        const bound = await findBinding(statements, teamId, name)
        if (bound) await increaseSetVersion(statements, teamId, bound.agent_id)
        const isReleased = await deleteBinding(statements, teamId, name, {
          nowSeconds: Math.floor(now() / 1_000),
          reason,
          origin: auditOrigin({ ...caller, via: 'set' }, newId()),
        })
        if (!isReleased) throw new Problem('managed_agent_not_found')
      })
    },
  }
}

type List = 'agents' | 'drift'

function readCursor(list: List, set: string, cursor: string | undefined): string | null {
  const [after = null] = (decodeCursor([list, set], cursor, isKey) ?? []) as string[]
  return after
}

const isKey = ([key, ...rest]: unknown[]) =>
  typeof key === 'string' && AGENT_KEY.test(key) && rest.length === 0
