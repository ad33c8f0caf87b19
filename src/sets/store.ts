import { MAX_AGENTS_OF_SET, MAX_SETS, type ManagedAgent } from '../contract/configuration-set.ts'
import { type AuditOrigin, INSERT_AUDIT_EVENT, originParameters } from '../platform/database/audit-sql.ts'
import type { Statements } from '../platform/database/database.ts'

/** An agent of a set, by its key. */
export interface SetKey {
  set: string
  key: string
}

/** A row of `managed_agents`: what a set owns of an agent. */
export interface Binding extends SetKey {
  agent_id: string
  applied_revision: number
  fields: string[]
  /** The owned fields that other writers have changed since, each with the last revision that did. */
  drift: Record<string, number>
}

const COLUMNS = 'm.set, m.key, m.agent_id, m.applied_revision, m.fields, m.drift'

/** Undefined if the set has no agent of this key. A deleted agent keeps its key until another one takes it. */
export async function findBinding(
  sql: Statements,
  teamId: string,
  { set, key }: SetKey,
): Promise<(Binding & { is_live: boolean }) | undefined> {
  const [row] = await sql.read<Binding & { is_live: boolean }>({
    name: 'find-binding',
    text: `
SELECT ${COLUMNS}, EXISTS (SELECT FROM agents a WHERE a.team_id = $1 AND a.id = m.agent_id) AS is_live
FROM managed_agents m WHERE m.team_id = $1 AND m.set = $2 AND m.key = $3`,
    values: [teamId, set, key],
  })
  return row
}

/** What all sets own of an agent. `access` `lock`: no set gives up anything before the end of the transaction. */
export async function findBindingsOf(
  sql: Statements,
  teamId: string,
  agentId: string,
  access: 'read' | 'lock',
): Promise<Binding[]> {
  return sql.read({
    name: `${access}-bindings-of-agent`,
    text: `
SELECT ${COLUMNS} FROM managed_agents m WHERE m.team_id = $1 AND m.agent_id = $2
ORDER BY m.set ${access === 'lock' ? 'FOR UPDATE' : ''}`,
    values: [teamId, agentId],
  })
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
  const rows = await sql.write({
    name: 'write-binding',
    text: WRITE,
    values: [
      ...[teamId, set, key, agentId, appliedRevision, fields, nowSeconds, replacedAgentId],
      ...[detail, write.isAudited, ...originParameters(write.origin)],
    ],
  })
  return rows.length > 0
}

const WRITE = `
WITH written AS (
  INSERT INTO managed_agents AS m (team_id, set, key, agent_id, applied_revision, fields, applied_at, applied_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $11)
  ON CONFLICT (team_id, set, key) DO UPDATE SET agent_id = excluded.agent_id, applied_revision = excluded.applied_revision,
    fields = excluded.fields, drift = '{}', applied_at = excluded.applied_at, applied_by = excluded.applied_by
  WHERE m.agent_id = $8
  RETURNING 1
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $12, $7, $11, 'set_applied', $4, $13, $14, $15, $9::json FROM written WHERE $10::boolean
)
SELECT FROM written`

/** Returns whether the set had such an agent. */
export async function deleteBinding(
  sql: Statements,
  teamId: string,
  { set, key }: SetKey,
  { nowSeconds, reason, origin }: { nowSeconds: number; reason: string | undefined; origin: AuditOrigin },
): Promise<boolean> {
  const rows = await sql.write({
    name: 'delete-binding',
    text: DELETE,
    values: [...[teamId, set, key, nowSeconds, reason ?? null], ...originParameters(origin)],
  })
  return rows.length > 0
}

const DELETE = `
WITH deleted AS (
  DELETE FROM managed_agents m
  WHERE m.team_id = $1 AND m.set = $2 AND m.key = $3
    AND EXISTS (SELECT FROM agents a WHERE a.team_id = $1 AND a.id = m.agent_id)
  RETURNING m.agent_id, m.fields
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $7, $4, $6, 'set_released', agent_id, $8, $9, $10,
    json_strip_nulls(json_build_object('set', $2::text, 'key', $3::text, 'fields', fields, 'reason', $5::text))
  FROM deleted
)
SELECT FROM deleted`

/** Whether the set, or the team, has as many as it may have. Requests at the same time may exceed a limit by their number. */
export async function findFull(
  sql: Statements,
  teamId: string,
  set: string,
): Promise<{ is_set_full: boolean; has_too_many_sets: boolean }> {
  const [row] = await sql.read<{ is_set_full: boolean; has_too_many_sets: boolean }>({
    name: 'find-full-set',
    text: FIND_FULL,
    values: [teamId, set],
  })
  return row ?? { is_set_full: false, has_too_many_sets: false }
}

/** The names of the sets: one step of the index for each, whatever number of agents they have. $1 team. */
const SET_NAMES = `names AS (
  (SELECT set FROM managed_agents WHERE team_id = $1 ORDER BY set LIMIT 1)
  UNION ALL
  SELECT (
    SELECT m.set FROM managed_agents m WHERE m.team_id = $1 AND m.set > names.set ORDER BY m.set LIMIT 1
  ) FROM names WHERE names.set IS NOT NULL
)`

/** Concurrent requests may have made a few more. */
const MAX_LISTED = MAX_SETS + 20

const FIND_FULL = `
WITH RECURSIVE ${SET_NAMES}
SELECT counted.agents >= ${MAX_AGENTS_OF_SET} AS is_set_full,
  counted.agents = 0 AND (SELECT count(*) FROM (SELECT FROM names WHERE set IS NOT NULL LIMIT ${MAX_SETS}) n) >= ${MAX_SETS}
    AS has_too_many_sets
FROM (
  SELECT count(*) AS agents
  FROM (SELECT FROM managed_agents WHERE team_id = $1 AND set = $2 LIMIT ${MAX_AGENTS_OF_SET}) m
) counted`

export async function listSets(sql: Statements, teamId: string): Promise<{ name: string; agents: number }[]> {
  return sql.read({
    name: 'list-sets',
    text: `
WITH RECURSIVE ${SET_NAMES}
SELECT n.set AS name, (SELECT count(*) FROM managed_agents m WHERE m.team_id = $1 AND m.set = n.set)::int AS agents
FROM (SELECT set FROM names WHERE set IS NOT NULL LIMIT ${MAX_LISTED}) n
ORDER BY n.set`,
    values: [teamId],
  })
}

export interface PagePosition {
  /** The last key of the page before. */
  after: string | null
  limit: number
}

export async function listManagedAgents(
  sql: Statements,
  teamId: string,
  set: string,
  { after, limit }: PagePosition,
): Promise<ManagedAgent[]> {
  return sql.read({
    name: 'list-managed-agents',
    text: `
SELECT m.key, m.agent_id, a.revision, m.applied_revision, m.fields, m.applied_at, m.applied_by
FROM managed_agents m JOIN agents a ON a.team_id = $1 AND a.id = m.agent_id
WHERE m.team_id = $1 AND m.set = $2 AND m.key > coalesce($3, '')
ORDER BY m.key LIMIT $4`,
    values: [teamId, set, after, limit],
  })
}

/** An agent of which other writers have changed owned fields. */
export interface DriftedBinding extends Binding {
  revision: number
  /** Who made the revisions of `drift`. */
  changes: { revision: number; changed_at: number; changed_by: string; changed_by_name: string | null }[]
}

export async function listDrifted(
  sql: Statements,
  teamId: string,
  set: string,
  { after, limit }: PagePosition,
): Promise<DriftedBinding[]> {
  return sql.read({
    name: 'list-drifted',
    text: LIST_DRIFTED,
    values: [teamId, set, after, limit],
  })
}

const LIST_DRIFTED = `
SELECT ${COLUMNS}, a.revision, (
  SELECT json_agg(json_build_object(
    'revision', r.revision, 'changed_at', r.changed_at, 'changed_by', r.changed_by,
    'changed_by_name', (SELECT u.name FROM users u WHERE u.team_id = $1 AND u.user_id = r.changed_by)
  ))
  FROM agent_revisions r
  WHERE r.team_id = $1 AND r.agent_id = m.agent_id
    AND r.revision IN (SELECT value::bigint FROM jsonb_each_text(m.drift))
) AS changes
FROM managed_agents m JOIN agents a ON a.team_id = $1 AND a.id = m.agent_id
WHERE m.team_id = $1 AND m.set = $2 AND m.key > coalesce($3, '') AND m.drift <> '{}'
ORDER BY m.key LIMIT $4`
