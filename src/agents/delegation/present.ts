import type { DelegationEdge } from '../../contract/delegation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { evaluationState } from './agent-state.ts'
import { MAX_DELEGATIONS } from './targets.ts'
import type { AgentState, Graph } from './walk.ts'

/** The delegations and agents of a team as they are now. */

const MAX_NODES = 1_000

/** One more than a response shows. */
const FOUND_CANDIDATES = 11
const SHOWN_CANDIDATES = FOUND_CANDIDATES - 1

export function presentGraph(sql: Statements, teamId: string): Graph {
  return {
    maxNodes: MAX_NODES,
    agentsAtOnce: MAX_NODES,
    findAgents: (ids) =>
      sql.read<AgentState>({ name: 'find-delegation-agents', text: FIND_AGENTS, values: [teamId, ids] }),
    findDelegations: async (ids, limit) => {
      const rows = await sql.read<DelegationRow>({
        name: 'find-delegations',
        text: FIND_DELEGATIONS,
        values: [teamId, ids, limit + 1],
      })
      const found = rows.slice(0, limit)
      const shown = found.filter(({ position }) => position < MAX_DELEGATIONS)
      return {
        edges: shown.map(toEdge),
        limits: shown.length < found.length ? ['edges'] : [],
        isCut: rows.length > limit,
      }
    },
    hasDelegations: async (ids) =>
      (await sql.read({ name: 'has-delegations', text: HAS_DELEGATIONS, values: [teamId, ids] })).length > 0,
  }
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

function toEdge({ from, position, label, by_id, by_card, by_url }: DelegationRow): DelegationEdge {
  if (by_id.length > 0) return edgeTo({ from, position, label }, 'agent_id', by_id)
  if (by_card.length > 0) return edgeTo({ from, position, label }, 'agent_card_url', by_card)
  return edgeTo({ from, position, label }, 'url', by_url)
}

/** A delegation to the agents that it may mean. */
export function edgeTo(
  delegation: Pick<DelegationEdge, 'from' | 'position' | 'label'>,
  matchedBy: NonNullable<DelegationEdge['matched_by']>,
  agents: string[],
): DelegationEdge {
  const { from, position, label } = delegation
  const [first = null] = agents
  if (first === null) {
    return { from, position, kind: 'external', to: null, candidates: [], matched_by: null, label }
  }
  const isSingle = agents.length === 1
  return {
    ...{ from, position },
    kind: isSingle ? 'agent' : 'ambiguous',
    to: isSingle ? first : null,
    candidates: isSingle ? [] : agents.slice(0, SHOWN_CANDIDATES),
    ...{ matched_by: matchedBy, label },
  }
}

const FIND_AGENTS = `
SELECT id, agent_name, status, trust_stage, protection_status, ${evaluationState('a')} AS evaluation
FROM agents a
WHERE team_id = $1 AND id = ANY ($2::uuid[])`

/** The agents that have an address now. A replica of the version before may have deleted one of them. */
const withAddress = (key: string) => `ARRAY(
    SELECT x.agent_id FROM agent_addresses x
    WHERE x.team_id = $1 AND x.key = ${key} AND x.until_revision IS NULL AND x.is_live
      AND EXISTS (SELECT FROM agents a WHERE a.team_id = $1 AND a.id = x.agent_id)
    ORDER BY x.agent_id
    LIMIT ${FOUND_CANDIDATES}
  )`

const FIND_DELEGATIONS = `
SELECT d.agent_id AS "from", d.position, d.label, by_id.ids AS by_id, by_card.ids AS by_card, by_url.ids AS by_url
FROM (
  SELECT d.*, f.n
  FROM unnest($2::uuid[]) WITH ORDINALITY AS f (id, n)
  JOIN delegations d ON d.team_id = $1 AND d.agent_id = f.id
  ORDER BY f.n, d.position
  LIMIT $3
) d
CROSS JOIN LATERAL (SELECT ARRAY(SELECT id FROM agents a WHERE a.team_id = $1 AND a.id = d.target_id) AS ids) by_id
CROSS JOIN LATERAL (SELECT ${withAddress('d.card_key')} AS ids) by_card
CROSS JOIN LATERAL (SELECT CASE WHEN by_card.ids = '{}' THEN ${withAddress('d.url_key')} ELSE '{}' END AS ids) by_url
ORDER BY d.n, d.position`

const HAS_DELEGATIONS = 'SELECT FROM delegations WHERE team_id = $1 AND agent_id = ANY ($2::uuid[]) LIMIT 1'
