// A deletion moves the row of an agent to deleted_agents, and a recovery moves it back. Either is one statement of constant
// cost, which also writes the revision, the outbox event and the audit event, and takes the agent out of the delegation graph or
// puts it back.

import { INSERT_AUDIT_EVENT } from '../../platform/database/audit-sql.ts'
import { AGENT_COLUMNS } from '../columns.ts'
import { movedRows } from '../delegation/derived-rows.ts'
import { SNAPSHOT_INTERVAL, snapshotSql } from '../snapshot.ts'

interface Move {
  action: 'deleted' | 'recovered'
  from: 'agents' | 'deleted_agents'
  to: 'agents' | 'deleted_agents'
  /** Rows that cannot be moved count as absent. */
  filter?: string
  /** Whether the row that was found is moved. */
  condition?: string
  /** Values for columns that only the destination has. */
  added?: Record<string, string>
  auditDetail?: string
  /** Added to the statement. */
  ctes?: readonly string[]
}

/** $1 team, $2 agent, $3 now, $4 user, $5 id of the audit event, $6 id of the request, $7 interface, $8 application, $9 reason, $10
 * trace. A statement can add parameters. It begins with the CTEs `locked`, the row before the move, and `written`, the row after it. */
export function moveSql(move: Move) {
  const { action, from, to, filter, condition = 'true', added = {}, auditDetail, ctes = [] } = move
  const kept = AGENT_COLUMNS.filter((name) => name !== 'revision' && name !== 'updated_at')
  const columns = ['revision', 'updated_at', ...kept]
  return `
WITH locked AS MATERIALIZED (
  SELECT revision + 1 AS revision, greatest(updated_at, $3::bigint) AS updated_at, ${condition} AS is_moved
  FROM ${from}
  WHERE team_id = $1 AND id = $2 ${filter ? `AND ${filter}` : ''}
  FOR UPDATE
), removed AS (
  DELETE FROM ${from} a USING locked l
  WHERE l.is_moved AND a.team_id = $1 AND a.id = $2
  RETURNING l.revision, l.updated_at, ${kept.map((name) => `a.${name}`).join(', ')}
), written AS (
  INSERT INTO ${to} (${[...columns, ...Object.keys(added)].join(', ')})
  SELECT ${[...columns, ...Object.values(added)].join(', ')} FROM removed
  RETURNING *
), revised AS (
  INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, reason, snapshot)
  SELECT $1, $2, revision, updated_at, $4, '${action}', '{}', '{}', $9,
    CASE WHEN revision % ${SNAPSHOT_INTERVAL} = 0 THEN ${snapshotSql('written')} END
  FROM written
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT $1, $2, revision, $2::text || ':' || revision, '${action}',
    json_strip_nulls(json_build_object(
      'fields', ARRAY[]::text[], 'changed_by', $4::uuid, 'changed_at', updated_at, 'reason', $9::text,
      'traceparent', $10::text
    ))
  FROM written
), audited AS (
  ${INSERT_AUDIT_EVENT}
  SELECT $1, $5, updated_at, $4, 'agent_${action}', $2, $6, $7, $8,
    json_build_object('revision', revision, 'fields', ARRAY[]::text[]${auditDetail ? `, ${auditDetail}` : ''})
  FROM written
), ${[movedRows(to === 'agents'), ...ctes].join(', ')}`
}
