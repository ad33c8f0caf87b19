import { AGENT_STATE, cardKey, urlKey } from '../../agent/dependents.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { fragment, named, type Param, param, raw } from '../../platform/postgres/sql.ts'
import type { DelegationEdge, DelegationNode } from './schema.ts'

/** More delegations of an agent are not part of the graph. The next one is stored, as a sign that there are more. */
const MAX_DELEGATIONS = 1_000

/** An agent without its place in the graph. */
export type AgentState = Omit<DelegationNode, 'depth'>

/** One more than a response shows. */
const FOUND_CANDIDATES = 11
const SHOWN_CANDIDATES = FOUND_CANDIDATES - 1

/** The agents with these ids that the team has. */
export async function findAgents(sql: Statements, teamId: string, ids: string[]): Promise<AgentState[]> {
  return sql.read(named('find-delegation-agents')`
SELECT ${AGENT_STATE}
FROM agent_filters
WHERE team_id = ${teamId} AND id = ANY (${ids}::uuid[])`)
}

export interface FoundDelegations {
  edges: DelegationEdge[]
  /** An agent has more than MAX_DELEGATIONS. */
  isShortened: boolean
  /** There are more than `limit`. */
  isCut: boolean
}

/** The delegations of these agents, at most `limit`, in the order of the ids and of their positions. */
export async function findDelegations(
  sql: Statements,
  teamId: string,
  ids: string[],
  limit: number,
): Promise<FoundDelegations> {
  const team = param(teamId)
  const rows = await sql.read<DelegationRow>(named('find-delegations')`
SELECT d.agent_id AS "from", d.position, d.label, by_id.ids AS by_id, by_card.ids AS by_card, by_url.ids AS by_url
FROM (
  SELECT d.*, f.n
  FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS f (id, n)
  JOIN delegations d ON d.team_id = ${team} AND d.agent_id = f.id
  ORDER BY f.n, d.position
  LIMIT ${limit + 1}
) d
CROSS JOIN LATERAL (SELECT ARRAY(SELECT id FROM agents a WHERE a.team_id = ${team} AND a.id = d.target_id) AS ids) by_id
CROSS JOIN LATERAL (SELECT ${withKey(team, cardKey('a'), 'd.card_key')} AS ids) by_card
CROSS JOIN LATERAL (
  SELECT CASE WHEN by_card.ids = '{}' THEN ${withKey(team, urlKey('a'), 'd.url_key')} ELSE '{}' END AS ids
) by_url
ORDER BY d.n, d.position`)
  const found = rows.slice(0, limit)
  const shown = found.filter(({ position }) => position < MAX_DELEGATIONS)
  return { edges: shown.map(toEdge), isShortened: shown.length < found.length, isCut: rows.length > limit }
}

export async function hasDelegations(sql: Statements, teamId: string, ids: string[]): Promise<boolean> {
  const rows = await sql.read(named('has-delegations')`
SELECT FROM delegations WHERE team_id = ${teamId} AND agent_id = ANY (${ids}::uuid[]) LIMIT 1`)
  return rows.length > 0
}

interface DelegationRow {
  from: string
  position: number
  label: string | null
  target_id: string | null
  /** The agents that the id names, or else those with the card, or else those with the URL. */
  by_id: string[]
  by_card: string[]
  by_url: string[]
}

function toEdge(row: DelegationRow): DelegationEdge {
  if (row.by_id.length > 0) return edgeTo(row, 'agent_id', row.by_id)
  if (row.by_card.length > 0) return edgeTo(row, 'agent_card_url', row.by_card)
  return edgeTo(row, 'url', row.by_url)
}

/** A delegation to the agents that it may mean. */
function edgeTo(
  { from, position, label }: DelegationRow,
  matchedBy: NonNullable<DelegationEdge['matched_by']>,
  agents: string[],
): DelegationEdge {
  const [first = null] = agents
  if (first === null) {
    return { from, position, kind: 'external', to: null, candidates: [], matched_by: null, label }
  }
  const isSingle = agents.length === 1
  return {
    from,
    position,
    kind: isSingle ? 'agent' : 'ambiguous',
    to: isSingle ? first : null,
    candidates: isSingle ? [] : agents.slice(0, SHOWN_CANDIDATES),
    matched_by: matchedBy,
    label,
  }
}

const withKey = (team: Param, address: string, key: string) => fragment`ARRAY(
    SELECT id FROM agents a WHERE a.team_id = ${team} AND ${raw(address)} = ${raw(key)}
    ORDER BY id LIMIT ${raw(FOUND_CANDIDATES)}
  )`
