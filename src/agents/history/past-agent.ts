import { namedField } from '../../contract/agent-secrets.ts'
import type { Statements } from '../../platform/database/database.ts'
import { named, param, raw } from '../../platform/database/sql.ts'
import type { AgentText, NamedSecrets } from '../change-agent.ts'
import { AGENT_TEXT, agentSql } from '../columns.ts'
import { snapshotAtOrAfter } from '../snapshot.ts'

/** An agent as it was at one of its revisions. */
export interface PastAgent extends AgentText {
  /** The revision that set each secret, at that time; null if the agent had no such secret. */
  api_key_revision: number | null
  github_token_revision: number | null
  /** The named secrets at the next snapshot, or now if there is none yet. */
  named_secrets: NamedSecrets | null
  /** Those that have changed since, as they were at that time; null if there was no such secret. */
  undone_secrets: Record<string, NamedSecrets[string] | null> | null
  /** The fields whose values at that revision were removed from history. */
  redacted: string[]
}

/** The agent at the next snapshot, or the current agent if there is no snapshot yet, with all later changes undone: at
 * most 99. Undefined if the team has no such agent, or the agent has no such revision. */
export async function findAgentAt(
  sql: Statements,
  teamId: string,
  id: string,
  revision: number,
  includeScores: boolean,
): Promise<PastAgent | undefined> {
  const team = param(teamId)
  const agent = param(id)
  const at = param(revision)
  const next = param(snapshotAtOrAfter(revision))
  // The value of a field at a revision is the value before its first later change. Only the values that are put back
  // are read: a large one is not stored in the row itself. Revisions have no gap: if there is no next snapshot, there
  // is no later revision either.
  const [row] = await sql.read<PastAgent>(named(
    includeScores ? 'find-agent-at-with-scores' : 'find-agent-at',
  )`
WITH undone AS (
  SELECT DISTINCT ON (field) field, before, field = ANY (redacted) AS is_redacted
  FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
  WHERE team_id = ${team} AND agent_id = ${agent} AND revision > ${at} AND revision <= ${next}
  ORDER BY field, revision
)
SELECT r.revision, ${AGENT_TEXT}, past_agent.api_key_revision, past_agent.github_token_revision,
  past_agent.named_secrets, (
  SELECT json_object_agg(substr(field, ${raw(NAMED_PREFIX.length + 1)}), before -> field) FROM undone
  WHERE starts_with(field, '${raw(NAMED_PREFIX)}')
) AS undone_secrets, ARRAY(
  SELECT field FROM undone WHERE is_redacted
  UNION ALL
  SELECT field FROM json_array_elements_text(s.snapshot -> 'redacted') AS field
  WHERE field NOT IN (SELECT field FROM undone)
) AS redacted
FROM agents a
JOIN agent_revisions r ON r.team_id = ${team} AND r.agent_id = ${agent} AND r.revision = ${at}
LEFT JOIN agent_revisions s ON s.team_id = ${team} AND s.agent_id = ${agent} AND s.revision = ${next}
CROSS JOIN LATERAL json_populate_record(json_populate_record(a, s.snapshot), (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, before -> key AS value
    FROM undone CROSS JOIN LATERAL unnest(CASE field
      WHEN 'api_key' THEN ARRAY['api_key_mask', 'api_key_revision']
      WHEN 'white_box_config' THEN ARRAY[field, 'github_token_revision']
      ELSE ARRAY[field]
    END) AS key
    UNION ALL
    SELECT 'updated_at', to_json(r.changed_at)
  ) old_values
)) AS past_agent, ${includeScores ? AGENT_WITH_SCORES : AGENT}
WHERE a.team_id = ${team} AND a.id = ${agent}`)
  return row
}

const NAMED_PREFIX = namedField('')
const AGENT = agentSql('past_agent')
const AGENT_WITH_SCORES = agentSql('past_agent', { includeScores: true })
