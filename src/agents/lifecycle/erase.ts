import type { Statements } from '../../platform/database.ts'

/** So few that other statements do not notice: a revision can hold a prompt of 256 KiB. */
const REVISIONS_PER_STEP = 100

/** Erases a part of one deleted agent whose time is over: its named secrets and some of its revisions, and with the last ones
 * the agent itself. It can be killed at any time: each step is one statement. Returns whether there may be more to erase. */
export async function eraseStep(sql: Statements, nowSeconds: number): Promise<boolean> {
  const rows = await sql.write({
    name: 'erase-step',
    text: ERASE_STEP,
    values: [nowSeconds, REVISIONS_PER_STEP],
  })
  return rows.length > 0
}

/** Remembers how far it has come. A search for the oldest revision that is left would read the dead tuples of all steps
 * before. SKIP LOCKED: a recovery or another process may work on the agent. Its commit need not wait for the disk: a step that
 * a crash of PostgreSQL loses is done again. */
const ERASE_STEP = `
WITH asynchronous AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), due AS MATERIALIZED (
  SELECT team_id, id, revision, erased_revision AS done, erased_revision + $2 AS goal
  FROM deleted_agents d, asynchronous
  WHERE erase_at <= $1
  ORDER BY erase_at
  LIMIT 1
  FOR UPDATE OF d SKIP LOCKED
), erased_secrets AS (
  DELETE FROM agent_secrets s USING due
  WHERE s.team_id = due.team_id AND s.agent_id = due.id
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
