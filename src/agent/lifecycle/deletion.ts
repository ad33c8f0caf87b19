import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { currentTraceparent } from '../../platform/observe/tracing.ts'
import {
  EMPTY,
  type Fragment,
  fragment,
  join,
  named,
  type Part,
  param,
  raw,
} from '../../platform/postgres/sql.ts'
import { auditEvent, auditOrigin } from '../audit-event.ts'
import type { AgentText, ChangeConditions } from '../change.ts'
import { isUnchangedBy, markSql } from '../change-statement.ts'
import { AGENT_COLUMNS, AGENT_TEXT, agentSql, SNAPSHOT_INTERVAL, snapshotSql } from '../columns.ts'
import { type AgentDeletePlan, findImpact, mustRefuse } from '../dependents.ts'
import { findCurrentRevision } from '../history/past-agent.ts'

// A deletion moves the row of an agent to deleted_agents, and a recovery moves it back. Either is one statement of
// constant cost, which also writes the revision, the outbox event and the audit event. Triggers of the database take
// the agent out of lists and of the delegation graph, or put it back.

type DeletionConditions = Pick<ChangeConditions, 'expectedRevisions' | 'refuseIfDependents' | 'bulkId'>

interface DeletionRequest extends DeletionConditions {
  /** Erase the agent soon: it cannot be recovered. */
  erase?: boolean | undefined
}

const DAY_SECONDS = 86_400

/** Hides the agent. A background task erases it later, or soon if `erase` is true. Returns the new revision. An agent
 * that the bulk request has deleted already counts as absent. */
export async function deleteAgent(
  core: Core,
  caller: Caller,
  id: string,
  request: DeletionRequest,
): Promise<number> {
  const { erase: isErasing = false, expectedRevisions, refuseIfDependents, bulkId } = request
  const { teamId } = caller
  const sql = core.database.of(teamId)
  if (await mustRefuse(sql, teamId, id, refuseIfDependents)) throw new Problem('has_dependents')
  const now = Math.floor(core.now() / 1_000)
  const params = moveParams(caller, id, now)
  const { team, agent, user } = params
  const expected = param(expectedRevisions)
  const inBulk = bulkId !== undefined && {
    filter: isUnchangedBy(bulkId, team, agent),
    ctes: fragment`, ${markSql(team, agent, bulkId, '{}')}`,
  }
  const eraseAt = eraseTime(core, now, request)
  const [result] = await sql.write<{ is_moved: boolean; revision: number }>(named(
    inBulk ? 'delete-agent-in-bulk' : 'delete-agent',
  )`${moveSql(caller, core.newId(), params, {
    action: 'deleted',
    from: 'agents',
    to: 'deleted_agents',
    condition: fragment`${expected}::bigint[] IS NULL OR revision = ANY (${expected}::bigint[])`,
    added: { deleted_at: raw('updated_at'), deleted_by: user, erase_at: eraseAt, is_erasing: isErasing },
    auditDetail: raw(`, 'erase_at', erase_at`),
    ...inBulk,
  })}
SELECT is_moved, revision FROM locked`)
  if (!result) throw new Problem('agent_not_found')
  if (!result.is_moved) throw new Problem('revision_stale')
  return result.revision
}

/** What a deletion would do now. */
export async function planDeletion(
  core: Core,
  caller: Caller,
  id: string,
  request: DeletionRequest,
): Promise<AgentDeletePlan> {
  const revision = await checkDeletion(core, caller, id, request)
  const [impact] = await findImpact(core.database.of(caller.teamId), caller.teamId, [id])
  if (!impact) throw new Error('The impact of an agent is missing')
  return { revision, erase_at: eraseTime(core, Math.floor(core.now() / 1_000), request), impact }
}

/** Throws if a deletion would be refused. Returns the current revision. */
export async function checkDeletion(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  { expectedRevisions, refuseIfDependents }: DeletionConditions,
): Promise<number> {
  const sql = database.of(teamId)
  const revision = await findCurrentRevision(sql, teamId, id)
  if (revision === undefined) throw new Problem('agent_not_found')
  if (await mustRefuse(sql, teamId, id, refuseIfDependents)) throw new Problem('has_dependents')
  if (expectedRevisions && !expectedRevisions.includes(revision)) throw new Problem('revision_stale')
  return revision
}

const eraseTime = ({ config }: Core, now: number, { erase }: DeletionRequest) =>
  erase === true ? now : now + config.recoverDays * DAY_SECONDS

/** Throws `agent_not_found` also for a deleted agent whose time is over. */
export async function recoverAgent(
  { database, now, newId }: Core,
  caller: Caller,
  id: string,
): Promise<AgentText> {
  const params = moveParams(caller, id, Math.floor(now() / 1_000))
  const [row] = await database.of(caller.teamId).write<AgentText>(named('recover-agent')`${moveSql(
    caller,
    newId(),
    params,
    {
      action: 'recovered',
      from: 'deleted_agents',
      to: 'agents',
      filter: fragment`NOT is_erasing AND erase_at > ${params.now}::bigint`,
    },
  )}
SELECT written.revision, ${AGENT_TEXT} FROM written, ${WRITTEN_AGENT}`)
  if (!row) throw new Problem('agent_not_found')
  return row
}

const WRITTEN_AGENT = agentSql('written')

interface MoveSql {
  action: 'deleted' | 'recovered'
  from: 'agents' | 'deleted_agents'
  to: 'agents' | 'deleted_agents'
  /** Rows that cannot be moved count as absent. */
  filter?: Fragment
  /** Whether the row that was found is moved. */
  condition?: Fragment
  /** Values for columns that only the destination has. */
  added?: Record<string, Part>
  /** Added to the detail of the audit event. */
  auditDetail?: Fragment
  /** Added to the statement. */
  ctes?: Fragment
}

/** The parameters of a move that its statement may also use elsewhere. */
function moveParams({ teamId, userId }: Caller, id: string, now: number) {
  return { team: param(teamId), agent: param(id), now: param(now), user: param(userId) }
}

const KEPT = AGENT_COLUMNS.filter((name) => name !== 'revision' && name !== 'updated_at')
const COLUMNS = ['revision', 'updated_at', ...KEPT].join(', ')
const KEPT_VALUES = raw(KEPT.map((name) => `a.${name}`).join(', '))
const SNAPSHOT = fragment`CASE WHEN revision % ${raw(SNAPSHOT_INTERVAL)} = 0 THEN ${raw(snapshotSql('written'))} END`

/** Begins a statement with the CTEs `locked`, the row before the move, and `written`, the row after it. */
function moveSql(
  caller: Caller,
  auditId: string,
  { team, agent, now, user }: ReturnType<typeof moveParams>,
  {
    action,
    from,
    to,
    filter,
    condition = raw('true'),
    added = {},
    auditDetail = EMPTY,
    ctes = EMPTY,
  }: MoveSql,
): Fragment {
  const why = param(caller.reason ?? null)
  return fragment`
WITH locked AS MATERIALIZED (
  SELECT revision + 1 AS revision, greatest(updated_at, ${now}::bigint) AS updated_at, ${condition} AS is_moved
  FROM ${raw(from)}
  WHERE team_id = ${team} AND id = ${agent} ${filter ? fragment`AND ${filter}` : EMPTY}
  FOR UPDATE
), removed AS (
  DELETE FROM ${raw(from)} a USING locked l
  WHERE l.is_moved AND a.team_id = ${team} AND a.id = ${agent}
  RETURNING l.revision, l.updated_at, ${KEPT_VALUES}
), written AS (
  INSERT INTO ${raw(to)} (${raw([COLUMNS, ...Object.keys(added)].join(', '))})
  SELECT ${join([raw(COLUMNS), ...Object.values(added)], ', ')} FROM removed
  RETURNING *
), revised AS (
  INSERT INTO agent_revisions
    (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, reason, snapshot)
  SELECT ${team}, ${agent}, revision, updated_at, ${user}, '${raw(action)}', '{}', '{}', ${why}, ${SNAPSHOT}
  FROM written
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT ${team}, ${agent}, revision, ${agent}::text || ':' || revision, '${raw(action)}',
    json_strip_nulls(json_build_object(
      'fields', ARRAY[]::text[], 'changed_by', ${user}::uuid, 'changed_at', updated_at, 'reason', ${why}::text,
      'traceparent', ${currentTraceparent()}::text
    ))
  FROM written
), audited AS (
  ${auditEvent(auditOrigin(caller, auditId), {
    team,
    at: raw('updated_at'),
    action: `agent_${action}`,
    agent,
    user,
    detail: fragment`json_build_object('revision', revision, 'fields', ARRAY[]::text[]${auditDetail})`,
  })} FROM written
)${ctes}`
}
