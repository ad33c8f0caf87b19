import { TRUST_STAGES } from '../../contract/agent.ts'
import { type AgentDependent, COUNTED_DEPENDENTS, type DependentsImpact } from '../../contract/delegation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { evaluationState } from './agent-state.ts'

/** The agents that delegate to an agent directly and come after `after` in the order of their ids. */
export async function listDependents(
  sql: Statements,
  teamId: string,
  id: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<AgentDependent[]> {
  return sql.read({
    name: 'list-dependents',
    text: LIST,
    values: [teamId, id, after ?? FIRST_ID, limit],
  })
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Whether an agent at one of the given trust stages delegates to the agent, or may do so. An id that the team does not have has no
 * dependents, even if a delegation names it. */
export async function hasDependent(
  sql: Statements,
  teamId: string,
  id: string,
  stages: readonly string[],
): Promise<boolean> {
  const rows = await sql.read({ name: 'has-dependent', text: HAS, values: [teamId, id, stages] })
  return rows.length > 0
}

/** What a change of these agents, at most 500, affects. An id that the team does not have has no dependents. */
export async function findImpact(
  sql: Statements,
  teamId: string,
  ids: readonly string[],
): Promise<DependentsImpact[]> {
  const rows = await sql.read<{ agent_id: string; count: number; strongest: number | null }>({
    name: 'find-impact',
    text: IMPACT,
    values: [teamId, ids, TRUST_STAGES],
  })
  return rows.map(({ agent_id, count, strongest }) => ({
    agent_id,
    dependents: Math.min(count, COUNTED_DEPENDENTS),
    has_more: count > COUNTED_DEPENDENTS,
    strongest_trust_stage: TRUST_STAGES[(strongest ?? 0) - 1] ?? null,
  }))
}

/** Whether a live agent has an address. */
const isTaken = (key: string, other = 'true') => `EXISTS (
  SELECT FROM agent_addresses x
  WHERE x.team_id = $1 AND x.key = ${key} AND x.until_revision IS NULL AND x.is_live AND ${other}
    AND EXISTS (SELECT FROM agents a WHERE a.team_id = $1 AND a.id = x.agent_id)
)`

/** SQL for the agents that delegate to the agent `id`: each once for each member that identifies it. A URL does not identify it
 * where the card of the same delegation is known. `page` continues the selection of each kind. */
function delegatingTo(id: string, page: string): string {
  const first = (condition: string) => `
      SELECT DISTINCT ON (d.agent_id) d.agent_id, d.position FROM delegations d
      WHERE d.team_id = $1 AND ${condition} AND d.is_live AND d.agent_id <> ${id} ${page}`
  const address = (isCard: boolean) => `
    SELECT key, ${isTaken('own.key', `x.agent_id <> ${id}`)} AS is_shared FROM agent_addresses own
    WHERE team_id = $1 AND agent_id = ${id} AND is_card = ${isCard} AND until_revision IS NULL`
  return `
    SELECT d.*, 'agent_id' AS matched_by, false AS ambiguous FROM (${first(`d.target_id = ${id}`)}
    ) d
    UNION ALL
    SELECT d.*, 'agent_card_url', own.is_shared FROM (${address(true)}) own CROSS JOIN LATERAL (
      ${first('d.card_key = own.key')}
    ) d
    UNION ALL
    SELECT d.*, 'url', own.is_shared FROM (${address(false)}) own CROSS JOIN LATERAL (
      ${first(`d.url_key = own.key AND NOT (d.card_key IS NOT NULL AND ${isTaken('d.card_key')})`)}
    ) d`
}

const LIST = `
SELECT id, agent_name, status, trust_stage, protection_status, ${evaluationState('a')} AS evaluation,
  found.position, found.matched_by, found.ambiguous
FROM (
  SELECT DISTINCT ON (agent_id) * FROM (${delegatingTo(
    '$2',
    'AND d.agent_id > $3 ORDER BY d.agent_id, d.position LIMIT $4',
  )}
  ) each_kind
  ORDER BY agent_id, ambiguous, position
) found
JOIN agents a ON a.team_id = $1 AND a.id = found.agent_id
ORDER BY id
LIMIT $4`

/** The largest team has 100,000 agents. */
const HAS = `
SELECT FROM (${delegatingTo('$2', 'LIMIT 100000')}
) found
JOIN agents a ON a.team_id = $1 AND a.id = found.agent_id
WHERE a.trust_stage = ANY ($3::text[]) AND EXISTS (SELECT FROM agents WHERE team_id = $1 AND id = $2)
LIMIT 1`

const IMPACT = `
SELECT given.id AS agent_id, found.count, found.strongest
FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, n)
CROSS JOIN LATERAL (
  SELECT count(*)::integer AS count, max(array_position($3::text[], trust_stage)) AS strongest FROM (
    SELECT a.trust_stage FROM (
      SELECT DISTINCT agent_id FROM (${delegatingTo(
        'given.id',
        `ORDER BY d.agent_id LIMIT ${COUNTED_DEPENDENTS + 1}`,
      )}
      ) each_kind
      ORDER BY agent_id
      LIMIT ${COUNTED_DEPENDENTS + 1}
    ) dependent
    JOIN agents a ON a.team_id = $1 AND a.id = dependent.agent_id
  ) stages
) found
ORDER BY given.n`
