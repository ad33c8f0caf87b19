import type { Agent } from '../../contract/agent.ts'
import type { DelegationEdge, EvaluationState } from '../../contract/delegation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { findAgentAt } from '../history/past-agent.ts'
import { findPastCandidates, findRevisionsAt, type PastRevision } from './past-store.ts'
import { edgeTo } from './present.ts'
import { type Delegation, MAX_DELEGATIONS, readDelegations } from './targets.ts'
import { type AgentState, type Graph, MAX_EDGES } from './walk.ts'

/** Each agent is put together from its revisions, which takes a statement. */
const MAX_NODES = 200

export interface Moment {
  /** Unix time in seconds. */
  time: number
  /** The revision of the first agent, which may have had several in that second. */
  root: PastRevision
}

/** The delegations and agents of a team at a moment in the past. */
export function pastGraph(sql: Statements, teamId: string, { time, root }: Moment): Graph {
  const revisions = new Map<string, PastRevision | undefined>([[root.id, root]])
  const delegations = new Map<string, Delegation[]>()
  const redacted = new Set<string>()
  let stored = 0

  const read = async ({ id, revision, behaviour_revision }: PastRevision): Promise<AgentState[]> => {
    const past = await findAgentAt(sql, teamId, id, revision, true)
    if (!past) return []
    const agent = JSON.parse(past.text) as Agent
    if (past.redacted.includes('delegated_agents')) redacted.add(id)
    // The walk ends at the next one.
    const own = readDelegations(agent.delegated_agents).slice(0, Math.max(MAX_EDGES + 1 - stored, 1))
    stored += own.length
    delegations.set(id, own)
    const { agent_name, status, trust_stage, protection_status } = agent
    const evaluation = evaluationAt(agent.latest_evaluation, { revision, behaviour_revision, time })
    return [{ id, agent_name, status, trust_stage, protection_status, evaluation } as AgentState]
  }

  /** Finds out which of the agents existed then. */
  const findRevisions = async (ids: string[]) => {
    const unknown = [...new Set(ids)].filter((id) => !revisions.has(id))
    const found = await findRevisionsAt(sql, teamId, unknown, time)
    for (const id of unknown) revisions.set(id, undefined)
    for (const revision of found) revisions.set(revision.id, revision)
  }

  const resolve = async (own: readonly (Delegation & { from: string })[]): Promise<DelegationEdge[]> => {
    const keys = own.flatMap(({ card_key, url_key }) => [card_key ?? [], url_key ?? []].flat())
    const candidates = await findPastCandidates(sql, teamId, [...new Set(keys)], time)
    await findRevisions(own.flatMap(({ target_id }) => target_id ?? []))
    await findRevisions([...candidates.values()].flat())
    const existing = (ids: string[] | undefined) => (ids ?? []).filter((id) => revisions.get(id))
    return own.map((delegation) => {
      const { target_id, card_key, url_key } = delegation
      if (target_id !== null) return edgeTo(delegation, 'agent_id', existing([target_id]))
      const byCard = existing(card_key === null ? [] : candidates.get(card_key))
      if (byCard.length > 0) return edgeTo(delegation, 'agent_card_url', byCard)
      return edgeTo(delegation, 'url', existing(url_key === null ? [] : candidates.get(url_key)))
    })
  }

  return {
    maxNodes: MAX_NODES,
    agentsAtOnce: 1,
    findAgents: async (ids) => {
      const [revision] = ids.map((id) => revisions.get(id))
      return revision ? read(revision) : []
    },
    findDelegations: async (ids, limit) => {
      const all = ids.flatMap((from) => (delegations.get(from) ?? []).map((own) => ({ ...own, from })))
      const found = all.slice(0, limit)
      const shown = found.filter(({ position }) => position < MAX_DELEGATIONS)
      return {
        edges: await resolve(shown),
        limits: [
          ...(shown.length < found.length ? (['edges'] as const) : []),
          ...(ids.some((id) => redacted.has(id)) ? (['redacted'] as const) : []),
        ],
        isCut: all.length > limit,
      }
    },
    hasDelegations: async (ids) => ids.some((id) => (delegations.get(id) ?? []).length > 0),
  }
}

/** Only the newest evaluation is stored, and only the last revision that changed the behaviour of the agent is known. */
function evaluationAt(
  evaluation: Agent['latest_evaluation'],
  at: { revision: number; behaviour_revision: number; time: number },
): EvaluationState {
  if (!evaluation) return 'none'
  const { completed_at: completedAt, revision: evaluated } = evaluation
  if (completedAt == null || evaluated == null) return 'unknown'
  if (completedAt > at.time || at.behaviour_revision > at.revision) return 'unknown'
  return evaluated >= at.behaviour_revision ? 'current' : 'outdated'
}
