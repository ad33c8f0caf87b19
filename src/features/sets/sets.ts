import { auditOrigin } from '../../agent/audit-event.ts'
import type { SetKey } from '../../agent/change-statement.ts'
import type { Caller } from '../../api/caller.ts'
import { decodeCursor, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { named, param, raw } from '../../platform/postgres/sql.ts'
import {
  BINDING_COLUMNS,
  type Binding,
  deleteBinding,
  findBinding,
  increaseSetVersion,
  setNames,
} from './queries.ts'
import {
  AGENT_KEY,
  type AgentDrift,
  type AgentDriftPage,
  type ConfigurationSetList,
  MAX_SETS,
  type ManagedAgent,
  type ManagedAgentPage,
} from './schema.ts'
import { findDrift } from './spec.ts'

interface PageQuery {
  limit?: number
  cursor?: string
}

/** Concurrent requests may have made a few more. */
const MAX_LISTED = MAX_SETS + 20

export async function listSets({ database }: Core, { teamId }: Caller): Promise<ConfigurationSetList> {
  const team = param(teamId)
  const results = await database.searches
    .of(teamId)
    .read<ConfigurationSetList['results'][number]>(named('list-sets')`
WITH RECURSIVE ${setNames(team)}
SELECT n.set AS name, (SELECT count(*) FROM managed_agents m WHERE m.team_id = ${team} AND m.set = n.set)::int AS agents
FROM (SELECT set FROM names WHERE set IS NOT NULL LIMIT ${raw(MAX_LISTED)}) n
ORDER BY n.set`)
  return { results }
}

export async function listManagedAgents(
  { database }: Core,
  { teamId }: Caller,
  set: string,
  { limit = 100, cursor }: PageQuery,
): Promise<ManagedAgentPage> {
  const after = readCursor('agents', set, cursor)
  const team = param(teamId)
  const rows = await database.of(teamId).read<ManagedAgent>(named('list-managed-agents')`
SELECT m.key, m.agent_id, a.revision, m.applied_revision, m.fields, m.applied_at, m.applied_by
FROM managed_agents m JOIN agents a ON a.team_id = ${team} AND a.id = m.agent_id
WHERE m.team_id = ${team} AND m.set = ${set} AND m.key > coalesce(${after}, '')
ORDER BY m.key LIMIT ${limit + 1}`)
  return toPage(rows, limit, ['agents', set], (last) => [last.key])
}

/** An agent of which other writers have changed owned fields. */
interface DriftedBinding extends Binding {
  revision: number
  /** Who made the revisions of `drift`. */
  changes: { revision: number; changed_at: number; changed_by: string; changed_by_name: string | null }[]
}

/** A page of drift ends after so many bytes of values: those of one agent can have a megabyte. */
const MAX_DRIFT_BYTES = 1024 * 1024

export async function listDrift(
  { database }: Core,
  { teamId }: Caller,
  set: string,
  { limit = 20, cursor }: PageQuery,
): Promise<AgentDriftPage> {
  const sql = database.of(teamId)
  const after = readCursor('drift', set, cursor)
  const team = param(teamId)
  const rows = await sql.read<DriftedBinding>(named('list-drifted')`
SELECT ${BINDING_COLUMNS}, a.revision, (
  SELECT json_agg(json_build_object(
    'revision', r.revision, 'changed_at', r.changed_at, 'changed_by', r.changed_by,
    'changed_by_name', (SELECT u.name FROM users u WHERE u.team_id = ${team} AND u.user_id = r.changed_by)
  ))
  FROM agent_revisions r
  WHERE r.team_id = ${team} AND r.agent_id = m.agent_id
    AND r.revision IN (SELECT value::bigint FROM jsonb_each_text(m.drift))
) AS changes
FROM managed_agents m JOIN agents a ON a.team_id = ${team} AND a.id = m.agent_id
WHERE m.team_id = ${team} AND m.set = ${set} AND m.key > coalesce(${after}, '') AND m.drift <> '{}'
ORDER BY m.key LIMIT ${limit + 1}`)
  const results: AgentDrift[] = []
  let visited = 0
  let bytes = 0
  for (const row of rows.slice(0, limit)) {
    if (bytes > MAX_DRIFT_BYTES) break
    visited++
    const drift = await readDrift(sql, teamId, row)
    if (!drift) continue
    results.push(drift)
    bytes += JSON.stringify(drift).length
  }
  return { ...toPage(rows, visited, ['drift', set], (last) => [last.key]), results }
}

/** Undefined if the agent has the applied values again. */
async function readDrift(sql: Sql, teamId: string, binding: DriftedBinding): Promise<AgentDrift | undefined> {
  const { key, agent_id, applied_revision, revision, drift, changes } = binding
  const compared = { appliedRevision: applied_revision, revision, fields: Object.keys(drift) }
  const drifted = await findDrift(sql, teamId, agent_id, compared)
  const fields = drifted.flatMap((each) => {
    const change = changes.find((made) => made.revision === drift[each.field])
    return change ? [{ ...each, ...change }] : []
  })
  return fields.length === 0 ? undefined : { key, agent_id, revision, applied_revision, fields }
}

/** Lets go of an agent. The agent stays as it is. */
export async function releaseManagedAgent(
  { database, now, newId }: Core,
  caller: Caller,
  name: SetKey,
): Promise<void> {
  const { teamId, reason } = caller
  await database.of(teamId).transaction(async (sql) => {
    const bound = await findBinding(sql, teamId, name)
    if (bound) await increaseSetVersion(sql, teamId, bound.agent_id)
    const isReleased = await deleteBinding(sql, teamId, name, {
      nowSeconds: Math.floor(now() / 1_000),
      reason,
      origin: auditOrigin({ ...caller, via: 'set' }, newId()),
    })
    if (!isReleased) throw new Problem('managed_agent_not_found')
  })
}

function readCursor(list: 'agents' | 'drift', set: string, cursor: string | undefined): string | null {
  const [after = null] = (decodeCursor([list, set], cursor, isKey) ?? []) as string[]
  return after
}

const isKey = ([key, ...rest]: unknown[]) =>
  typeof key === 'string' && AGENT_KEY.test(key) && rest.length === 0
