import { type AuditOrigin, auditEvent } from '../../agent/audit-event.ts'
import type { AgentText } from '../../agent/change.ts'
import type { Columns, RevisionRecord, SetKey } from '../../agent/change-statement.ts'
import { AGENT_TEXT, agentSql } from '../../agent/columns.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { EMPTY, fragment, named, type Param, param, raw } from '../../platform/postgres/sql.ts'
import { MAX_AGENTS_OF_SET, MAX_SETS } from './schema.ts'

/** A row of `managed_agents`: what a set owns of an agent. */
export interface Binding extends SetKey {
  agent_id: string
  applied_revision: number
  fields: string[]
  /** The owned fields that other writers have changed since, each with the last revision that did. */
  drift: Record<string, number>
}

export const BINDING_COLUMNS = raw('m.set, m.key, m.agent_id, m.applied_revision, m.fields, m.drift')

/** Undefined if the set has no agent of this key. A deleted agent keeps its key until another one takes it. */
export async function findBinding(
  sql: Statements,
  teamId: string,
  { set, key }: SetKey,
): Promise<(Binding & { is_live: boolean }) | undefined> {
  const team = param(teamId)
  const [row] = await sql.read<Binding & { is_live: boolean }>(named('find-binding')`
SELECT ${BINDING_COLUMNS}, EXISTS (SELECT FROM agents a WHERE a.team_id = ${team} AND a.id = m.agent_id) AS is_live
FROM managed_agents m WHERE m.team_id = ${team} AND m.set = ${set} AND m.key = ${key}`)
  return row
}

/** What all sets own of an agent. `access` `lock`: no set gives up anything before the end of the transaction. */
export async function findBindingsOf(
  sql: Statements,
  teamId: string,
  agentId: string,
  access: 'read' | 'lock',
): Promise<Binding[]> {
  return sql.read(named(`${access}-bindings-of-agent`)`
SELECT ${BINDING_COLUMNS} FROM managed_agents m WHERE m.team_id = ${teamId} AND m.agent_id = ${agentId}
ORDER BY m.set ${access === 'lock' ? raw('FOR UPDATE') : EMPTY}`)
}

export interface BindingWrite extends SetKey {
  teamId: string
  agentId: string
  /** The agent that has the key now; null if none has. */
  replacedAgentId: string | null
  appliedRevision: number
  fields: string[]
  nowSeconds: number
  origin: AuditOrigin
  reason: string | undefined
  /** No revision of the agent tells of the change. */
  isAudited: boolean
}

/** Returns false, and writes nothing, if the key has got another agent. */
export async function writeBinding(sql: Statements, write: BindingWrite): Promise<boolean> {
  const { teamId, set, key, agentId, replacedAgentId, appliedRevision, fields, nowSeconds } = write
  const detail = JSON.stringify({ set, key, fields, applied_revision: appliedRevision, reason: write.reason })
  const team = param(teamId)
  const agent = param(agentId)
  const at = param(nowSeconds)
  const user = param(write.origin.userId)
  const rows = await sql.write(named('write-binding')`
WITH written AS (
  INSERT INTO managed_agents AS m (team_id, set, key, agent_id, applied_revision, fields, applied_at, applied_by)
  VALUES (${team}, ${set}, ${key}, ${agent}, ${appliedRevision}, ${fields}, ${at}, ${user})
  ON CONFLICT (team_id, set, key) DO UPDATE
  SET agent_id = excluded.agent_id, applied_revision = excluded.applied_revision, fields = excluded.fields,
    drift = '{}', applied_at = excluded.applied_at, applied_by = excluded.applied_by
  WHERE m.agent_id = ${replacedAgentId}
  RETURNING 1
), audited AS (
  ${auditEvent(write.origin, { team, at, action: 'set_applied', agent, user, detail })} FROM written
  WHERE ${write.isAudited}::boolean
)
SELECT FROM written`)
  return rows.length > 0
}

/** Returns whether the set had such an agent. */
export async function deleteBinding(
  sql: Statements,
  teamId: string,
  { set, key }: SetKey,
  { nowSeconds, reason, origin }: { nowSeconds: number; reason: string | undefined; origin: AuditOrigin },
): Promise<boolean> {
  const team = param(teamId)
  const setName = param(set)
  const setKey = param(key)
  const rows = await sql.write(named('delete-binding')`
WITH deleted AS (
  DELETE FROM managed_agents m
  WHERE m.team_id = ${team} AND m.set = ${setName} AND m.key = ${setKey}
    AND EXISTS (SELECT FROM agents a WHERE a.team_id = ${team} AND a.id = m.agent_id)
  RETURNING m.agent_id, m.fields
), audited AS (
  ${auditEvent(origin, {
    team,
    at: nowSeconds,
    action: 'set_released',
    agent: raw('agent_id'),
    detail: fragment`json_strip_nulls(json_build_object(
      'set', ${setName}::text, 'key', ${setKey}::text, 'fields', fields, 'reason', ${reason}::text
    ))`,
  })} FROM deleted
)
SELECT FROM deleted`)
  return rows.length > 0
}

/** Whether the set, or the team, has as many as it may have. Requests at the same time may exceed a limit by their
 * number. */
export async function findFull(
  sql: Statements,
  teamId: string,
  set: string,
): Promise<{ is_set_full: boolean; has_too_many_sets: boolean }> {
  const team = param(teamId)
  const [row] = await sql.read<{ is_set_full: boolean; has_too_many_sets: boolean }>(named('find-full-set')`
WITH RECURSIVE ${setNames(team)}
SELECT counted.agents >= ${raw(MAX_AGENTS_OF_SET)} AS is_set_full,
  counted.agents = 0 AND (
    SELECT count(*) FROM (SELECT FROM names WHERE set IS NOT NULL LIMIT ${raw(MAX_SETS)}) n
  ) >= ${raw(MAX_SETS)} AS has_too_many_sets
FROM (
  SELECT count(*) AS agents
  FROM (SELECT FROM managed_agents WHERE team_id = ${team} AND set = ${set} LIMIT ${raw(MAX_AGENTS_OF_SET)}) m
) counted`)
  return row ?? { is_set_full: false, has_too_many_sets: false }
}

/** A recursive CTE with the names of the sets: one step of the index for each, whatever number of agents they have. */
export const setNames = (team: Param) => fragment`names AS (
  (SELECT set FROM managed_agents WHERE team_id = ${team} ORDER BY set LIMIT 1)
  UNION ALL
  SELECT (
    SELECT m.set FROM managed_agents m WHERE m.team_id = ${team} AND m.set > names.set ORDER BY m.set LIMIT 1
  ) FROM names WHERE names.set IS NOT NULL
)`

/** The id of an agent that a dry run would create. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

const PLANNED_AGENT = agentSql('a')

/** The agent that a creation would make. */
export async function planAgent(
  sql: Statements,
  { caller, revision, changedAt }: RevisionRecord,
  columns: Columns,
): Promise<AgentText | undefined> {
  // The text of an agent has no bytes.
  const shown = Object.entries(columns).filter(([, value]) => !Buffer.isBuffer(value))
  const row = {
    team_id: caller.teamId,
    id: NO_ID,
    revision,
    created_by: caller.userId,
    created_at: changedAt,
    updated_at: changedAt,
    ...Object.fromEntries(shown),
  }
  const [planned] = await sql.read<AgentText>(named('plan-agent')`
SELECT a.revision, ${AGENT_TEXT} FROM json_populate_record(NULL::agents, ${JSON.stringify(row)}) a, ${PLANNED_AGENT}`)
  return planned
}

/** For a set that takes or releases fields of an agent without changing it: a writer that has read the owners before
 * tries again. Locks the agent. */
export async function increaseSetVersion(sql: Statements, teamId: string, id: string): Promise<void> {
  await sql.write(named('increase-set-version')`
UPDATE agents SET set_version = set_version + 1 WHERE team_id = ${teamId} AND id = ${id}`)
}
