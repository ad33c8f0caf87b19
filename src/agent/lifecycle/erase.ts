import type { Statements } from '../../platform/postgres/database.ts'
import { named } from '../../platform/postgres/sql.ts'

/** So few that other statements do not notice: a revision can hold a prompt of 256 KiB. */
const REVISIONS_PER_STEP = 100

const EVALUATIONS_PER_STEP = 1_000

/** Erases a part of one deleted agent whose time is over: first its evaluations, then its named secrets, external key,
 * places in configuration sets and some of its revisions, and with the last ones the agent itself. It can be killed
 * at any time: each statement is complete in itself. Returns whether there may be more to erase. */
export async function eraseStep(sql: Statements, nowSeconds: number): Promise<boolean> {
  // From here on the agent cannot be recovered.
  const [due] = await sql.write<{ team_id: string; id: string; evaluations: number }>(named(
    'erase-evaluations',
  )`
WITH due AS MATERIALIZED (
  SELECT team_id, id, is_erasing FROM deleted_agents
  WHERE erase_at <= ${nowSeconds}
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
    LIMIT ${EVALUATIONS_PER_STEP}
  ))
  RETURNING 1
)
SELECT team_id, id, (SELECT count(*) FROM erased)::int AS evaluations FROM due`)
  if (!due) return false
  if (due.evaluations === EVALUATIONS_PER_STEP) return true
  // Remembers how far it has come. A search for the oldest revision that is left would read the dead tuples of all
  // steps before. SKIP LOCKED: a recovery or another process may work on the agent. Its commit need not wait for the
  // disk: a step that a crash of PostgreSQL loses is done again.
  const rows = await sql.write(named('erase-step')`
WITH asynchronous AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), due AS MATERIALIZED (
  SELECT team_id, id, revision, erased_revision AS done, erased_revision + ${REVISIONS_PER_STEP} AS goal
  FROM deleted_agents d, asynchronous
  WHERE team_id = ${due.team_id} AND id = ${due.id} AND erase_at <= ${nowSeconds}
  FOR UPDATE OF d SKIP LOCKED
), erased_secrets AS (
  DELETE FROM agent_secrets s USING due
  WHERE s.team_id = due.team_id AND s.agent_id = due.id
), erased_external_key AS (
  DELETE FROM imported_agents i USING due
  WHERE i.team_id = due.team_id AND i.agent_id = due.id
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
RETURNING r.revision`)
  return rows.length > 0
}
