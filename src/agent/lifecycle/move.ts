import { currentTraceparent } from '../../platform/observe/tracing.ts'
import type { Statements } from '../../platform/postgres/database.ts'
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
import { type AuditOrigin, auditEvent } from '../audit-event.ts'
import type { AgentText } from '../change.ts'
import { isUnchangedBy, markSql } from '../change-statement.ts'
import { AGENT_COLUMNS, AGENT_TEXT, agentSql, SNAPSHOT_INTERVAL, snapshotSql } from '../columns.ts'

// A deletion moves the row of an agent to deleted_agents, and a recovery moves it back. Either is one statement of
// constant cost, which also writes the revision, the outbox event and the audit event. Triggers of the database take
// the agent out of lists and of the delegation graph, or put it back.

export interface Move {
  teamId: string
  id: string
  /** Unix time in seconds. */
  now: number
  origin: AuditOrigin
  reason: string | null
}

export interface Deletion extends Move {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  eraseAt: number
  /** The agent cannot be recovered. */
  isErasing: boolean
  /** The bulk request that the deletion is part of. An agent that it has deleted already counts as absent. */
  bulkId: string | undefined
}

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
function moveParams({ teamId, id, now, origin }: Move) {
  return { team: param(teamId), agent: param(id), now: param(now), user: param(origin.userId) }
}

const KEPT = AGENT_COLUMNS.filter((name) => name !== 'revision' && name !== 'updated_at')
const COLUMNS = ['revision', 'updated_at', ...KEPT].join(', ')
const KEPT_VALUES = raw(KEPT.map((name) => `a.${name}`).join(', '))
const SNAPSHOT = fragment`CASE WHEN revision % ${raw(SNAPSHOT_INTERVAL)} = 0 THEN ${raw(snapshotSql('written'))} END`

/** Begins a statement with the CTEs `locked`, the row before the move, and `written`, the row after it. */
function moveSql(
  { origin, reason }: Move,
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
  const why = param(reason)
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
  ${auditEvent(origin, {
    team,
    at: raw('updated_at'),
    action: `agent_${action}`,
    agent,
    user,
    detail: fragment`json_build_object('revision', revision, 'fields', ARRAY[]::text[]${auditDetail})`,
  })} FROM written
)${ctes}`
}

/** Hides an agent. Returns the new revision. Undefined if the team has no such agent. */
export async function deleteAgent(
  sql: Statements,
  deletion: Deletion,
): Promise<number | 'stale' | undefined> {
  const { expectedRevisions, eraseAt, isErasing, bulkId } = deletion
  const params = moveParams(deletion)
  const { team, agent, user } = params
  const expected = param(expectedRevisions)
  const inBulk = bulkId !== undefined && {
    filter: isUnchangedBy(bulkId, team, agent),
    ctes: fragment`, ${markSql(team, agent, bulkId, '{}')}`,
  }
  const [result] = await sql.write<{ is_moved: boolean; revision: number }>(named(
    inBulk ? 'delete-agent-in-bulk' : 'delete-agent',
  )`${moveSql(deletion, params, {
    action: 'deleted',
    from: 'agents',
    to: 'deleted_agents',
    condition: fragment`${expected}::bigint[] IS NULL OR revision = ANY (${expected}::bigint[])`,
    added: { deleted_at: raw('updated_at'), deleted_by: user, erase_at: eraseAt, is_erasing: isErasing },
    auditDetail: raw(`, 'erase_at', erase_at`),
    ...inBulk,
  })}
SELECT is_moved, revision FROM locked`)
  if (!result) return undefined
  return result.is_moved ? result.revision : 'stale'
}

/** Undefined if the team has no such deleted agent, or its time is over. */
export async function recoverAgent(sql: Statements, move: Move): Promise<AgentText | undefined> {
  const params = moveParams(move)
  const [row] = await sql.write<AgentText>(named('recover-agent')`${moveSql(move, params, {
    action: 'recovered',
    from: 'deleted_agents',
    to: 'agents',
    filter: fragment`NOT is_erasing AND erase_at > ${params.now}::bigint`,
  })}
SELECT written.revision, ${AGENT_TEXT} FROM written, ${WRITTEN_AGENT}`)
  return row
}

const WRITTEN_AGENT = agentSql('written')
