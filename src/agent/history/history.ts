import type { Caller } from '../../api/caller.ts'
import { decodeCursor, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { named, param } from '../../platform/postgres/sql.ts'
import { type ChangeConditions, type ChangedAgent, changeAgent } from '../change.ts'
import { changeableValues, changedColumns, describeColumns } from '../compare.ts'
import { refuseBreakingChange } from '../dependents.ts'
import type { Agent } from '../schema.ts'
import { inRevision, inspect, refuseFaults, requireSecretForNewOrigin } from '../secrets/inspect.ts'
import {
  type AgentState,
  changesBetween,
  differencesBetween,
  findAgentAt,
  findCurrentRevision,
  type PastAgent,
  stateOf,
} from './past-agent.ts'
import type { AgentComparison, AgentDiff, AgentRevision, AgentRevisionPage, CompareQuery } from './schema.ts'

/** The agent as it was at a revision. `latest_evaluation` is always the newest one; its `revision` is the revision
 * that was evaluated. */
export async function readRevision(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  revision: number,
  { includeScores = false } = {},
): Promise<PastAgent> {
  const sql = database.of(teamId)
  const found = await findAgentAt(sql, teamId, id, revision, includeScores)
  if (found) return found
  const current = await findCurrentRevision(sql, teamId, id)
  throw new Problem(current === undefined ? 'agent_not_found' : 'revision_not_found')
}

/** The agent at a revision, or as it is now. */
export async function readState(
  core: Core,
  caller: Caller,
  id: string,
  revision?: number,
): Promise<AgentState> {
  const { teamId } = caller
  const at = revision ?? (await findCurrentRevision(core.database.of(teamId), teamId, id))
  if (at === undefined) throw new Problem('agent_not_found')
  return stateOf(await readRevision(core, caller, id, at))
}

/** The newest first. */
export async function listRevisions(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  { limit = 100, cursor }: { limit?: number; cursor?: string },
): Promise<AgentRevisionPage> {
  const [before = null] = (decodeCursor(id, cursor, isRevision) ?? []) as number[]
  const team = param(teamId)
  const agent = param(id)
  const rows = await database.of(teamId).read<AgentRevision>(named('list-revisions')`
SELECT r.*
FROM agents a
LEFT JOIN LATERAL (
  SELECT revision, action, changed_at, changed_by,
    (SELECT name FROM users WHERE team_id = ${team} AND user_id = changed_by) AS changed_by_name,
    fields, restored_revision, reason, coalesce(redacted, '{}') AS redacted
  FROM agent_revisions
  WHERE team_id = ${team} AND agent_id = ${agent} AND revision < coalesce(${before}, a.revision + 1)
  ORDER BY revision DESC
  LIMIT ${limit + 1}
) r ON true
WHERE a.team_id = ${team} AND a.id = ${agent}
ORDER BY r.revision DESC`)
  // The statement returns a row for the agent itself, so that no row means no agent.
  if (rows.length === 0) throw new Problem('agent_not_found')
  const revisions = rows.filter(({ revision }) => revision !== null)
  return toPage(revisions, limit, id, (last) => [last.revision])
}

export async function diffRevisions(
  core: Core,
  caller: Caller,
  id: string,
  revision: number,
  against = Math.max(revision - 1, 1),
): Promise<AgentDiff> {
  // Not at the same time: a request has one connection.
  const state = await readState(core, caller, id, revision)
  const other = await readState(core, caller, id, against)
  return { revision, against, changes: changesBetween(other, state) }
}

export async function compareAgents(
  core: Core,
  caller: Caller,
  id: string,
  { with: withId, revision, with_revision: withRevision }: CompareQuery,
): Promise<AgentComparison> {
  const state = await readState(core, caller, id, revision)
  const other = await readState(core, caller, withId, withRevision)
  return {
    id,
    revision: state.revision,
    with_id: withId,
    with_revision: other.revision,
    differences: differencesBetween(state, other),
  }
}

/** Makes a new revision with the values of an old one. Secrets stay as they are, and so do the fields whose old
 * values were removed from history. */
export async function restoreRevision(
  core: Core,
  caller: Caller,
  id: string,
  revision: number,
  conditions: ChangeConditions,
): Promise<ChangedAgent> {
  const { agent: old, redacted } = await readState(core, caller, id, revision)
  return changeAgent(core, { caller, id, ...conditions }, (stored) => {
    const values = Object.entries(changeableValues(withCurrentToken(stored.agent, old)))
    const kept = values.filter(([field]) => !redacted.includes(field))
    const columns = changedColumns(stored.agent, Object.fromEntries(kept))
    const findings = inspect(columns)
    refuseFaults(findings, stored.namedSecrets, inRevision)
    requireSecretForNewOrigin(caller, stored, columns)
    refuseBreakingChange(stored.mustNotBreak, columns)
    const change = { ...describeColumns(stored, columns), credentialWarnings: findings.warnings }
    if (change.fields.length === 0) return undefined
    return { action: 'restored', restoredRevision: revision, ...change }
  })
}

const isRevision = ([revision, ...rest]: unknown[]) => Number.isSafeInteger(revision) && rest.length === 0

/** The old values, with the mask of the current token. */
function withCurrentToken(current: Agent, old: Agent): Agent {
  const token = current.white_box_config?.github_token
  const { github_token: _, ...config } = old.white_box_config ?? {}
  const withToken = token == null ? old.white_box_config && config : { ...config, github_token: token }
  return { ...old, white_box_config: withToken ?? null }
}
