import { snapshotSql } from '../../src/agent/columns.ts'
import type { Person } from './console.ts'
import type { TestDatabase } from './database.ts'

/** Gives an agent that has one revision as many as named, as the console makes them but in one go: each changes the purpose
 * to its own number. */
export async function insertRevisions(
  database: TestDatabase,
  person: Person,
  id: string,
  revisions: number,
): Promise<void> {
  await database.query(
    `WITH revised AS (
       INSERT INTO agent_revisions
         (team_id, agent_id, revision, changed_at, changed_by, action, fields, before, snapshot)
       SELECT $1, $2, n, a.created_at, $3, 'updated', '{purpose}',
         json_build_object('purpose', CASE n WHEN 2 THEN a.purpose ELSE (n - 1)::text END),
         CASE WHEN n % 100 = 0 THEN (
           SELECT json_object_agg(key, CASE key WHEN 'purpose' THEN to_json(n::text) ELSE value END)
           FROM json_each(${snapshotSql('a')})
         ) END
       FROM agents a, generate_series(2, $4::int) n
       WHERE a.team_id = $1 AND a.id = $2
     ) UPDATE agents SET revision = $4, purpose = $4::int::text WHERE team_id = $1 AND id = $2`,
    [person.team, id, person.user, revisions],
  )
}

/** The agents whose revisions are not exactly 1, 2, 3 and so on, up to the current one. */
export const REVISION_GAPS = `
SELECT a.id, a.revision::text, count(r.revision)::text AS stored, max(r.revision)::text AS newest
FROM agents a LEFT JOIN agent_revisions r ON r.team_id = a.team_id AND r.agent_id = a.id
GROUP BY a.team_id, a.id, a.revision
HAVING count(r.revision) <> a.revision OR max(r.revision) <> a.revision`
