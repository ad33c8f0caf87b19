import type { Caller } from '../../api/caller.ts'
import { decodeCursor, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Sessions } from '../../platform/postgres/database.ts'
import { type ChangeConditions, type ChangedAgent, changeAgent } from '../change.ts'
import { changeableValues, changedColumns, describeColumns } from '../compare.ts'
import { mustRefuse, refuseBreakingChange } from '../dependents.ts'
import type { Agent } from '../schema.ts'
import { inRevision, inspect, refuseFaults, requireSecretForNewOrigin } from '../secrets/inspect.ts'
import {
  type AgentState,
  changesBetween,
  differencesBetween,
  findAgentAt,
  findCurrentRevision,
  listRevisions,
  type PastAgent,
  stateOf,
} from './past-agent.ts'
import type { AgentComparison, AgentDiff, AgentRevisionPage, CompareQuery } from './schema.ts'

export interface HistoryDeps {
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type History = ReturnType<typeof createHistory>

export function createHistory({ sql, now, newId }: HistoryDeps) {
  /** Undefined if there is no such agent or revision. `latest_evaluation` is always the newest one; its `revision`
   * is the revision that was evaluated. */
  const findAt = (caller: Caller, id: string, revision: number, { includeScores = false } = {}) =>
    findAgentAt(sql.of(caller.teamId), caller.teamId, id, revision, includeScores)
  const readAt = async (
    caller: Caller,
    id: string,
    revision: number,
    options?: { includeScores?: boolean },
  ): Promise<PastAgent> => {
    const found = await findAt(caller, id, revision, options)
    if (found) return found
    const current = await findCurrentRevision(sql.of(caller.teamId), caller.teamId, id)
    throw new Problem(current === undefined ? 'agent_not_found' : 'revision_not_found')
  }
  const stateAt = async (caller: Caller, id: string, revision: number): Promise<AgentState> =>
    stateOf(await readAt(caller, id, revision))
  /** The agent as it is now. */
  const currentState = async (caller: Caller, id: string): Promise<AgentState> => {
    const revision = await findCurrentRevision(sql.of(caller.teamId), caller.teamId, id)
    if (revision === undefined) throw new Problem('agent_not_found')
    return stateAt(caller, id, revision)
  }

  return {
    findAt,
    readAt,
    currentState,

    async list(
      caller: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<AgentRevisionPage> {
      const [before = null] = (decodeCursor(id, cursor, isRevision) ?? []) as number[]
      const rows = await listRevisions(sql.of(caller.teamId), caller.teamId, id, { before, limit: limit + 1 })
      if (!rows) throw new Problem('agent_not_found')
      return toPage(rows, limit, id, (last) => [last.revision])
    },

    async diff(
      caller: Caller,
      id: string,
      revision: number,
      against = Math.max(revision - 1, 1),
    ): Promise<AgentDiff> {
      // Not at the same time: a request has one connection.
      const state = await stateAt(caller, id, revision)
      const other = await stateAt(caller, id, against)
      return { revision, against, changes: changesBetween(other, state) }
    },

    async compare(
      caller: Caller,
      id: string,
      { with: withId, revision, with_revision: withRevision }: CompareQuery,
    ): Promise<AgentComparison> {
      const read = (agentId: string, at: number | undefined) =>
        at === undefined ? currentState(caller, agentId) : stateAt(caller, agentId, at)
      const state = await read(id, revision)
      const other = await read(withId, withRevision)
      return {
        id,
        revision: state.revision,
        with_id: withId,
        with_revision: other.revision,
        differences: differencesBetween(state, other),
      }
    },

    /** Makes a new revision with the values of an old one. Secrets stay as they are, and so do the fields whose
     * old values were removed from history. */
    async restore(
      caller: Caller,
      id: string,
      revision: number,
      { expectedRevisions, refuseIfDependents }: ChangeConditions,
    ): Promise<ChangedAgent> {
      const { agent: old, redacted } = await stateAt(caller, id, revision)
      const isRefused = await mustRefuse(sql.of(caller.teamId), caller.teamId, id, refuseIfDependents)
      const request = { caller, id, expectedRevisions, now: Math.floor(now() / 1_000), auditId: newId() }
      return changeAgent(sql.of(caller.teamId), request, (stored) => {
        const values = Object.entries(changeableValues(withCurrentToken(stored.agent, old)))
        const kept = values.filter(([field]) => !redacted.includes(field))
        const columns = changedColumns(stored.agent, Object.fromEntries(kept))
        const findings = inspect(columns)
        refuseFaults(findings, stored.namedSecrets, inRevision)
        requireSecretForNewOrigin(caller, stored, columns)
        refuseBreakingChange(isRefused, columns)
        const change = { ...describeColumns(stored, columns), credentialWarnings: findings.warnings }
        return change.fields.length === 0
          ? undefined
          : { action: 'restored', restoredRevision: revision, ...change }
      })
    },
  }
}

const isRevision = ([revision, ...rest]: unknown[]) => Number.isSafeInteger(revision) && rest.length === 0

/** The old values, with the mask of the current token. */
function withCurrentToken(current: Agent, old: Agent): Agent {
  const token = current.white_box_config?.github_token
  const { github_token: _, ...config } = old.white_box_config ?? {}
  const withToken = token == null ? old.white_box_config && config : { ...config, github_token: token }
  return { ...old, white_box_config: withToken ?? null }
}
