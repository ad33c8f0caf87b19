import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '../contract/agent.ts'
import type { AgentDiff, AgentRevision, AgentRevisionPage, RevisionAction } from '../contract/history.ts'
import { Problem } from '../contract/problem.ts'
import { RequestInvalid } from '../contract/validation-error.ts'
import { readCursor, toCursor } from '../platform/cursor.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import { fieldsChangedBetween, findAgentAt, listRevisions } from './history-store.ts'
import { type AgentAt, present, presentWithScores } from './present.ts'
import type { Agents } from './service.ts'
import { findAgent } from './store.ts'

export interface HistoryDeps {
  sql: Sql
  agents: Agents
}

export type History = ReturnType<typeof createHistory>

/** A restore races with writers of the token whose mask it writes; this many losses in a row are not chance. */
const RESTORE_ATTEMPTS = 10

export function createHistory({ sql, agents }: HistoryDeps) {
  /** Scores are those of today, and say themselves which revision they belong to. */
  const readAt = async (
    caller: Caller,
    id: string,
    revision: number,
    { includeScores = false } = {},
  ): Promise<AgentAt> => {
    const row = await findAgentAt(sql, caller.teamId, id, revision)
    if (row) return includeScores ? presentWithScores(row) : present(row)
    const agent = await findAgent(sql, caller.teamId, id)
    throw new Problem(agent ? 'revision_not_found' : 'agent_not_found')
  }

  return {
    readAt,

    async list(
      caller: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentRevisionPage> {
      const [before = null] = (readCursor(id, cursor, isRevision) ?? []) as number[]
      const rows = await listRevisions(sql, caller.teamId, id, { before, limit: limit + 1 })
      if (!rows) throw new Problem('agent_not_found')
      const results = rows
        .slice(0, limit)
        .map((row): AgentRevision => ({ ...row, action: row.action as RevisionAction }))
      const last = results.at(-1)
      return { results, next_cursor: rows.length > limit && last ? toCursor(id, [last.revision]) : null }
    },

    async diff(
      caller: Caller,
      id: string,
      revision: number,
      against = Math.max(revision - 1, 1),
    ): Promise<AgentDiff> {
      const [older, newer] = [Math.min(revision, against), Math.max(revision, against)]
      const [at, other, changed] = await Promise.all([
        readAt(caller, id, revision),
        readAt(caller, id, against),
        fieldsChangedBetween(sql, caller.teamId, id, [older, newer]),
      ])
      const value = ({ agent }: AgentAt, field: string) => agent[field as keyof Agent]
      const changes = Object.keys(at.agent)
        .filter((field) => changed.includes(field))
        // A secret may have changed behind the same mask.
        .filter(
          (field) =>
            holdsSecret(field, at.agent) || !isDeepStrictEqual(value(at, field), value(other, field)),
        )
        .map((field) => ({ field, old: value(other, field), new: value(at, field) }))
      return { revision, against, changes }
    },

    /** A new revision with the values of an old one. Secrets stay as they are. */
    async restore(
      caller: Caller,
      id: string,
      revision: number,
      expectedRevisions: number[] | null,
    ): Promise<AgentAt> {
      const { agent: old } = await readAt(caller, id, revision)
      for (let attempt = 1; ; attempt++) {
        const { agent: now } = await agents.read(caller, id)
        try {
          return await agents.restore(caller, id, withTokenOf(now, old), {
            restoredRevision: revision,
            expectedRevisions,
          })
        } catch (error) {
          if (!(error instanceof RequestInvalid) || attempt === RESTORE_ATTEMPTS) throw error
        }
      }
    },
  }
}

const isRevision = ([revision, ...rest]: unknown[]) => Number.isSafeInteger(revision) && rest.length === 0

function holdsSecret(field: string, { api_key, white_box_config }: Agent): boolean {
  if (field === 'api_key') return api_key != null
  return field === 'white_box_config' && white_box_config?.github_token != null
}

/** The mask of the token an agent has now, in the values it had then. */
function withTokenOf(now: Agent, old: Agent): Agent {
  const token = now.white_box_config?.github_token
  const { github_token: _, ...config } = old.white_box_config ?? {}
  const withToken = token == null ? old.white_box_config && config : { ...config, github_token: token }
  return { ...old, white_box_config: withToken ?? null }
}
