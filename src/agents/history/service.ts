import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import type { AgentDiff, AgentRevisionPage } from '../../contract/history.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { decodeCursor, encodeCursor } from '../../platform/pagination-cursor.ts'
import { type AgentText, changeAgent } from '../change-agent.ts'
import { changedColumns, describeColumns, settableValues } from '../compare.ts'
import { fieldsChangedBetween, findAgentAt, hasAgent, listRevisions } from './store.ts'

export interface HistoryDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type History = ReturnType<typeof createHistory>

export function createHistory({ sql, now, newId }: HistoryDeps) {
  /** Undefined if there is no such agent or revision. `latest_evaluation` is always the newest one; its `revision` is the
   * revision that was evaluated. */
  const findAt = (caller: Caller, id: string, revision: number, { includeScores = false } = {}) =>
    findAgentAt(sql, caller.teamId, id, revision, includeScores)
  const readAt = async (
    ...[caller, id, revision, options]: Parameters<typeof findAt>
  ): Promise<AgentText> => {
    const found = await findAt(caller, id, revision, options)
    if (found) return found
    throw new Problem((await hasAgent(sql, caller.teamId, id)) ? 'revision_not_found' : 'agent_not_found')
  }
  const agentAt = async (caller: Caller, id: string, revision: number) =>
    JSON.parse((await readAt(caller, id, revision)).text) as Agent

  return {
    findAt,
    readAt,

    async list(
      caller: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentRevisionPage> {
      const [before = null] = (decodeCursor(id, cursor, isRevision) ?? []) as number[]
      const rows = await listRevisions(sql, caller.teamId, id, { before, limit: limit + 1 })
      if (!rows) throw new Problem('agent_not_found')
      const results = rows.slice(0, limit)
      const last = results.at(-1)
      return { results, next_cursor: rows.length > limit && last ? encodeCursor(id, [last.revision]) : null }
    },

    async diff(
      caller: Caller,
      id: string,
      revision: number,
      against = Math.max(revision - 1, 1),
    ): Promise<AgentDiff> {
      const [older, newer] = [Math.min(revision, against), Math.max(revision, against)]
      const [agent, other, changed] = await Promise.all([
        agentAt(caller, id, revision),
        agentAt(caller, id, against),
        fieldsChangedBetween(sql, caller.teamId, id, [older, newer]),
      ])
      const changes = (Object.keys(agent) as (keyof Agent)[])
        .filter((field) => changed.includes(field))
        // A secret may have changed and still have the same mask.
        .filter((field) => holdsSecret(field, agent) || !isDeepStrictEqual(agent[field], other[field]))
        .map((field) => ({ field, old: other[field], new: agent[field] }))
      return { revision, against, changes }
    },

    /** Makes a new revision with the values of an old one. Secrets stay as they are. */
    async restore(
      caller: Caller,
      id: string,
      revision: number,
      expectedRevisions: number[] | null,
    ): Promise<AgentText> {
      const old = await agentAt(caller, id, revision)
      const request = { caller, id, expectedRevisions, now: Math.floor(now() / 1_000), auditId: newId() }
      return changeAgent(sql, request, ({ agent }) => {
        const columns = changedColumns(agent, settableValues(withCurrentToken(agent, old)))
        const change = describeColumns(agent, columns)
        return change.fields.length === 0
          ? undefined
          : { action: 'restored', restoredRevision: revision, ...change }
      })
    },
  }
}

const isRevision = ([revision, ...rest]: unknown[]) => Number.isSafeInteger(revision) && rest.length === 0

function holdsSecret(field: string, { api_key, white_box_config }: Agent): boolean {
  if (field === 'api_key') return api_key != null
  return field === 'white_box_config' && white_box_config?.github_token != null
}

/** The old values, with the mask of the current token. */
function withCurrentToken(current: Agent, old: Agent): Agent {
  const token = current.white_box_config?.github_token
  const { github_token: _, ...config } = old.white_box_config ?? {}
  const withToken = token == null ? old.white_box_config && config : { ...config, github_token: token }
  return { ...old, white_box_config: withToken ?? null }
}
