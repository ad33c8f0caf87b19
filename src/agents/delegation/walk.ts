import {
  type DelegationEdge,
  type DelegationNode,
  MAX_DEPTH,
  type WalkLimit,
} from '../../contract/delegation.ts'
import type { Statements } from '../../platform/database/database.ts'
import { findAgents, findDelegations, hasDelegations } from './graph-store.ts'

export interface Walk {
  /** Nearest first. */
  nodes: DelegationNode[]
  edges: DelegationEdge[]
  /** For each agent but the first, the delegation that reached it first. */
  reachedBy: Map<string, DelegationEdge>
  limits: WalkLimit[]
}

export interface WalkOptions {
  depth?: number | undefined
  /** Whether the walk has taken too long. */
  isLate: () => boolean
}

const MAX_NODES = 1_000
const MAX_EDGES = 5_000

/** So few that the delegations of one statement fit into memory. */
const AGENTS_PER_STATEMENT = 50

/** Follows delegations breadth first from an agent, level by level, up to its limits. Undefined if there is no
 * such agent. */
export async function walk(
  sql: Statements,
  teamId: string,
  id: string,
  { depth = MAX_DEPTH, isLate }: WalkOptions,
): Promise<Walk | undefined> {
  const [root] = await findAgents(sql, teamId, [id])
  if (!root) return undefined
  const nodes = new Map<string, DelegationNode>([[id, { ...root, depth: 0 }]])
  const edges: DelegationEdge[] = []
  const reachedBy = new Map<string, DelegationEdge>()
  const limits = new Set<WalkLimit>()
  let isOver = false

  const stop = (limit: WalkLimit) => {
    limits.add(limit)
    isOver = true
  }

  /** Adds the delegations of some agents, and returns the agents that they reach for the first time. */
  const follow = async (some: string[], level: number): Promise<string[]> => {
    const found = await findDelegations(sql, teamId, some, MAX_EDGES - edges.length)
    if (found.isShortened) limits.add('edges')
    if (found.isCut) stop('edges')
    const unknown = [...new Set(found.edges.flatMap(({ to }) => (to && !nodes.has(to) ? [to] : [])))]
    const room = MAX_NODES - nodes.size
    const left = new Set(unknown.slice(room))
    const states = await findAgents(sql, teamId, unknown.slice(0, room))
    const stateOf = new Map(states.map((state) => [state.id, state]))
    const reached: string[] = []
    for (const edge of found.edges) {
      if (edge.to === null || nodes.has(edge.to)) edges.push(edge)
      else if (left.has(edge.to)) limits.add('nodes')
      else {
        const state = stateOf.get(edge.to)
        edges.push(state ? edge : toExternal(edge))
        if (!state) continue
        nodes.set(edge.to, { ...state, depth: level })
        reachedBy.set(edge.to, edge)
        reached.push(edge.to)
      }
    }
    return reached
  }

  let frontier = [id]
  for (let level = 1; level <= depth && frontier.length > 0 && !isOver; level++) {
    const next: string[] = []
    for (let start = 0; start < frontier.length && !isOver; start += AGENTS_PER_STATEMENT) {
      next.push(...(await follow(frontier.slice(start, start + AGENTS_PER_STATEMENT), level)))
      if (isLate()) stop('time')
    }
    frontier = next
  }
  if (!isOver && frontier.length > 0 && (await hasDelegations(sql, teamId, frontier))) limits.add('depth')
  return { nodes: [...nodes.values()], edges, reachedBy, limits: [...limits] }
}

/** The agent was deleted between two statements. */
function toExternal(edge: DelegationEdge): DelegationEdge {
  return { ...edge, kind: 'external', to: null, matched_by: null }
}
