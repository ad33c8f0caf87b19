import type { Statements } from '../../platform/database/database.ts'

/** So few that other statements do not notice: a revision can hold a prompt of 256 KiB. */
const REVISIONS_PER_STEP = 100

const EVALUATIONS_PER_STEP = 1_000

/** Erases a part of one deleted agent whose time is over: first its evaluations, then its named secrets, external key,
 * delegations, places in configuration sets and some of its revisions, and with the last ones the agent itself. It can be
 * killed at any time: each statement is complete in itself.
 * Returns whether there may be more to erase. */
export async function eraseStep(sql: Statements, nowSeconds: number): Promise<boolean> {
  const [due] = await sql.write<{ team_id: string; id: string; evaluations: number }>({
    name: 'erase-evaluations',
    text: ERASE_EVALUATIONS,
    values: [nowSeconds, EVALUATIONS_PER_STEP],
  })
  if (!due) return false
  if (due.evaluations === EVALUATIONS_PER_STEP) return true
  const rows = await sql.write({
    name: 'erase-step',
    text: ERASE_STEP,
    values: [nowSeconds, REVISIONS_PER_STEP, due.team_id, due.id],
  })
  return rows.length > 0
}

/** From here on the agent cannot be recovered. */
const ERASE_EVALUATIONS = `
WITH due AS MATERIALIZED (
  SELECT team_id, id, is_erasing FROM deleted_agents
  WHERE erase_at <= $1
  ORDER BY erase_at
  LIMIT 1
  FOR UPDATE SKIP LOCKED
), begun AS (
  UPDATE deleted_agents d SET is_erasing = true FROM due
  WHERE d.team_id = due.team_id AND d.id = due.id AND NOT due.is_erasing
), erased AS (
  DELETE FROM agent_evaluations e USING due
  WHERE e.team_id = due.team_id AND e.agent_id = due.id AND e.evaluation_id = ANY (ARRAY(
    SELECT evaluation_id FROM agent_evaluations
    WHERE team_id = (SELECT team_id FROM due) AND agent_id = (SELECT id FROM due)
    LIMIT $2
  ))
  RETURNING 1
)
SELECT team_id, id, (SELECT count(*) FROM erased)::int AS evaluations FROM due`

/** Remembers how far it has come. A search for the oldest revision that is left would read the dead tuples of all steps
 * before. SKIP LOCKED: a recovery or another process may work on the agent. Its commit need not wait for the disk: a step that
 * a crash of PostgreSQL loses is done again. */
const ERASE_STEP = `
WITH asynchronous AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), due AS MATERIALIZED (
  SELECT team_id, id, revision, erased_revision AS done, erased_revision + $2 AS goal
  FROM deleted_agents d, asynchronous
  WHERE team_id = $3 AND id = $4 AND erase_at <= $1
  FOR UPDATE OF d SKIP LOCKED
), erased_secrets AS (
  DELETE FROM agent_secrets s USING due
  WHERE s.team_id = due.team_id AND s.agent_id = due.id
), erased_external_key AS (
  DELETE FROM imported_agents i USING due
  WHERE i.team_id = due.team_id AND i.agent_id = due.id
), erased_delegations AS (
  DELETE FROM delegations d USING due
  WHERE d.team_id = due.team_id AND d.agent_id = due.id
), erased_addresses AS (
  DELETE FROM agent_addresses x USING due
  WHERE x.team_id = due.team_id AND x.agent_id = due.id AND x.revision > due.done AND x.revision <= due.goal
), erased_bindings AS (
  DELETE FROM managed_agents m USING due
  WHERE m.team_id = due.team_id AND m.agent_id = due.id
), erased_agent AS (
  DELETE FROM deleted_agents d USING due
  WHERE d.team_id = due.team_id AND d.id = due.id AND due.goal >= due.revision
), continued AS (
  UPDATE deleted_agents d SET is_erasing = true, erased_revision = due.goal
  FROM due
  WHERE d.team_id = due.team_id AND d.id = due.id AND due.goal < due.revision
)
DELETE FROM agent_revisions r USING due
WHERE r.team_id = due.team_id AND r.agent_id = due.id AND r.revision > due.done AND r.revision <= due.goal
RETURNING r.revision`
