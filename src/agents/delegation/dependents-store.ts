import { TRUST_STAGES } from '../../contract/agent.ts'
import { type AgentDependent, COUNTED_DEPENDENTS, type DependentsImpact } from '../../contract/delegation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { type Fragment, fragment, named, type Param, param, raw } from '../../platform/database/sql.ts'
import { AGENT_STATE, cardKey, urlKey } from './graph-store.ts'

/** The agents that delegate to an agent directly and come after `after` in the order of their ids. */
export async function listDependents(
  sql: Statements,
  teamId: string,
  id: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<AgentDependent[]> {
  const team = param(teamId)
  const agent = param(id)
  const from = param(after ?? FIRST_ID)
  const max = param(limit)
  const page = fragment`AND d.agent_id > ${from} ORDER BY d.agent_id, d.position LIMIT ${max}`
  return sql.read(named('list-dependents')`
SELECT ${AGENT_STATE}, found.position, found.matched_by, found.ambiguous
FROM (
  SELECT DISTINCT ON (agent_id) * FROM (${delegatingTo(team, agent, page)}
  ) each_kind
  ORDER BY agent_id, ambiguous, position
) found
JOIN agent_filters a ON a.team_id = ${team} AND a.id = found.agent_id
ORDER BY id
LIMIT ${max}`)
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Whether an agent at one of the given trust stages delegates to the agent, or may do so. An id that the team does
 * not have has no dependents, even if a delegation names it. */
export async function hasDependent(
  sql: Statements,
  teamId: string,
  id: string,
  stages: readonly string[],
): Promise<boolean> {
  const team = param(teamId)
  const agent = param(id)
  // The largest team has 100,000 agents.
  const rows = await sql.read(named('has-dependent')`
SELECT FROM (${delegatingTo(team, agent, raw('LIMIT 100000'))}
) found
JOIN agent_filters a ON a.team_id = ${team} AND a.id = found.agent_id
WHERE a.trust_stage = ANY (${stages}::text[]) AND EXISTS (SELECT FROM agents WHERE team_id = ${team} AND id = ${agent})
LIMIT 1`)
  return rows.length > 0
}

/** What a change of these agents, at most 500, affects. An id that the team does not have has no dependents. */
export async function findImpact(
  sql: Statements,
  teamId: string,
  ids: readonly string[],
): Promise<DependentsImpact[]> {
  const team = param(teamId)
  const page = raw(`ORDER BY d.agent_id LIMIT ${COUNTED_DEPENDENTS + 1}`)
  const rows = await sql.read<{ agent_id: string; count: number; strongest: number | null }>(named(
    'find-impact',
  )`
SELECT given.id AS agent_id, found.count, found.strongest
FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS given (id, n)
CROSS JOIN LATERAL (
  SELECT count(*)::integer AS count, max(array_position(${TRUST_STAGES}::text[], trust_stage)) AS strongest FROM (
    SELECT a.trust_stage FROM (
      SELECT DISTINCT agent_id FROM (${delegatingTo(team, raw('given.id'), page)}
      ) each_kind
      ORDER BY agent_id
      LIMIT ${raw(COUNTED_DEPENDENTS + 1)}
    ) dependent
    JOIN agent_filters a ON a.team_id = ${team} AND a.id = dependent.agent_id
  ) stages
) found
ORDER BY given.n`)
  return rows.map(({ agent_id, count, strongest }) => ({
    agent_id,
    dependents: Math.min(count, COUNTED_DEPENDENTS),
    has_more: count > COUNTED_DEPENDENTS,
    strongest_trust_stage: TRUST_STAGES[(strongest ?? 0) - 1] ?? null,
  }))
}

/** SQL for the agents that delegate to the agent `id`: each once for each member that identifies it. A URL does not
 * identify it where the card of the same delegation is known. `page` continues the selection of each kind. */
function delegatingTo(team: Param, id: Param | Fragment, page: Fragment): Fragment {
  const first = (condition: Fragment) => fragment`
      SELECT DISTINCT ON (d.agent_id) d.agent_id, d.position FROM delegations d
      WHERE d.team_id = ${team} AND ${condition} AND d.agent_id <> ${id} ${page}`
  const address = (keyOf: (table: string) => string) => fragment`
    SELECT key, EXISTS (
      SELECT FROM agents x WHERE x.team_id = ${team} AND ${raw(keyOf('x'))} = key AND x.id <> ${id}
    ) AS is_shared FROM (
      SELECT ${raw(keyOf('a'))} AS key FROM agents a WHERE a.team_id = ${team} AND a.id = ${id}
    ) address`
  const hasKnownCard = fragment`EXISTS (
    SELECT FROM agents x WHERE x.team_id = ${team} AND ${raw(cardKey('x'))} = d.card_key
  )`
  return fragment`
    SELECT d.*, 'agent_id' AS matched_by, false AS ambiguous FROM (${first(fragment`d.target_id = ${id}`)}
    ) d
    UNION ALL
    SELECT d.*, 'agent_card_url', own.is_shared FROM (${address(cardKey)}) own CROSS JOIN LATERAL (
      ${first(fragment`d.card_key = own.key`)}
    ) d
    UNION ALL
    SELECT d.*, 'url', own.is_shared FROM (${address(urlKey)}) own CROSS JOIN LATERAL (
      ${first(fragment`d.url_key = own.key AND NOT (d.card_key IS NOT NULL AND ${hasKnownCard})`)}
    ) d`
}
