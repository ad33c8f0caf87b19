import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import { namedField } from '../../contract/agent-secrets.ts'
import type { AgentDiff, AgentRevisionPage } from '../../contract/history.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { decodeCursor, encodeCursor } from '../../platform/pagination-cursor.ts'
import { type AgentText, changeAgent, type NamedSecrets } from '../change-agent.ts'
import { changedColumns, describeColumns, settableValues } from '../compare.ts'
import { inRevision, inspect, refuseFaults } from '../secrets/inspect.ts'
import { requireSecretForNewOrigin } from '../secrets/new-origin.ts'
import { findAgentAt, type PastAgent } from './past-agent.ts'
import { hasAgent, listRevisions } from './store.ts'

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
  ): Promise<PastAgent> => {
    const found = await findAt(caller, id, revision, options)
    if (found) return found
    throw new Problem((await hasAgent(sql, caller.teamId, id)) ? 'revision_not_found' : 'agent_not_found')
  }
  const stateAt = async (caller: Caller, id: string, revision: number): Promise<State> => {
    const { text, named_secrets: next, undone_secrets: undone, ...rest } = await readAt(caller, id, revision)
    const secrets = new Map(Object.entries({ ...next, ...undone }))
    return { ...rest, agent: JSON.parse(text) as Agent, secrets }
  }

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
      // Not at the same time: a request has one connection.
      const state = await stateAt(caller, id, revision)
      const other = await stateAt(caller, id, against)
      const changes = (Object.keys(state.agent) as (keyof Agent)[])
        .filter((field) => differs(field, state, other))
        .map((field) => ({ field: field as string, old: other.agent[field], new: state.agent[field] }))
      return { revision, against, changes: [...changes, ...changedSecrets(other, state)] }
    },

    /** Makes a new revision with the values of an old one. Secrets stay as they are, and so do the fields whose old values
     * were removed from history. */
    async restore(
      caller: Caller,
      id: string,
      revision: number,
      expectedRevisions: number[] | null,
    ): Promise<AgentText> {
      const { agent: old, redacted } = await stateAt(caller, id, revision)
      const request = { caller, id, expectedRevisions, now: Math.floor(now() / 1_000), auditId: newId() }
      return changeAgent(sql, request, (stored) => {
        const values = Object.entries(settableValues(withCurrentToken(stored.agent, old)))
        const kept = values.filter(([field]) => !redacted.includes(field))
        const columns = changedColumns(stored.agent, Object.fromEntries(kept))
        const findings = inspect(columns)
        refuseFaults(findings, stored.namedSecrets, inRevision)
        requireSecretForNewOrigin(caller, stored, columns)
        const change = { ...describeColumns(stored, columns), credentialWarnings: findings.warnings }
        return change.fields.length === 0
          ? undefined
          : { action: 'restored', restoredRevision: revision, ...change }
      })
    },
  }
}

const isRevision = ([revision, ...rest]: unknown[]) => Number.isSafeInteger(revision) && rest.length === 0

interface State extends Omit<PastAgent, 'text' | 'named_secrets' | 'undone_secrets'> {
  agent: Agent
  secrets: Map<string, NamedSecrets[string] | null>
}

/** A secret may have changed and still have the same mask. Of a value that was removed from history only this is known. */
function differs(field: keyof Agent, a: State, b: State): boolean {
  if (field === 'updated_at') return false
  if (field === 'api_key' && a.api_key_revision !== b.api_key_revision) return true
  if (field === 'white_box_config' && a.github_token_revision !== b.github_token_revision) return true
  if (a.redacted.includes(field) !== b.redacted.includes(field)) return true
  return !isDeepStrictEqual(a.agent[field], b.agent[field])
}

/** The named secrets that differ, as they are in a diff. The revision tells whether one differs: two can have the same mask. */
function changedSecrets({ secrets: before }: State, { secrets: after }: State): AgentDiff['changes'] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name)?.revision !== after.get(name)?.revision)
    .toSorted()
    .map((name) => ({
      field: namedField(name),
      old: before.get(name)?.mask ?? null,
      new: after.get(name)?.mask ?? null,
    }))
}

/** The old values, with the mask of the current token. */
function withCurrentToken(current: Agent, old: Agent): Agent {
  const token = current.white_box_config?.github_token
  const { github_token: _, ...config } = old.white_box_config ?? {}
  const withToken = token == null ? old.white_box_config && config : { ...config, github_token: token }
  return { ...old, white_box_config: withToken ?? null }
}
