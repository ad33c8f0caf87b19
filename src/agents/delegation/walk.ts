import {
  type DelegationEdge,
  type DelegationNode,
  MAX_DEPTH,
  type WalkLimit,
} from '../../contract/delegation.ts'

/** An agent without its place in the graph. */
export type AgentState = Omit<DelegationNode, 'depth'>

/** Where a walk reads agents and delegations from: the present or a moment in the past. */
export interface Graph {
  maxNodes: number
  /** How many agents one statement reads. */
  agentsAtOnce: number
  /** The agents with these ids that the team has. */
  findAgents: (ids: string[]) => Promise<AgentState[]>
  /** The delegations of these agents, at most `limit`, in the order of the ids and of their positions. */
  findDelegations: (ids: string[], limit: number) => Promise<FoundDelegations>
  hasDelegations: (ids: string[]) => Promise<boolean>
}

export interface FoundDelegations {
  edges: DelegationEdge[]
  /** Why some are missing. */
  limits: WalkLimit[]
  /** There are more than `limit`. */
  isCut: boolean
}

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

export const MAX_EDGES = 5_000

/** So few that the delegations of one statement fit into memory. */
const AGENTS_PER_STATEMENT = 50

/** Follows delegations breadth first from an agent, level by level, up to its limits. Undefined if there is no such agent. */
export async function walk(
  graph: Graph,
  id: string,
  { depth = MAX_DEPTH, isLate }: WalkOptions,
): Promise<Walk | undefined> {
  const [root] = await graph.findAgents([id])
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

  /** Stops when it is late. */
  const read = async (ids: string[]) => {
    const states = new Map<string, AgentState>()
    const unread = new Set(ids)
    for (let start = 0; start < ids.length; start += graph.agentsAtOnce) {
      if (start > 0 && isLate()) {
        stop('time')
        break
      }
      const some = ids.slice(start, start + graph.agentsAtOnce)
      for (const state of await graph.findAgents(some)) states.set(state.id, state)
      for (const id of some) unread.delete(id)
    }
    return { states, unread }
  }

  /** Adds the delegations of some agents, and returns the agents that they reach for the first time. */
  const follow = async (some: string[], level: number): Promise<string[]> => {
    const found = await graph.findDelegations(some, MAX_EDGES - edges.length)
    for (const limit of found.limits) limits.add(limit)
    if (found.isCut) stop('edges')
    const unknown = [...new Set(found.edges.flatMap(({ to }) => (to && !nodes.has(to) ? [to] : [])))]
    const room = graph.maxNodes - nodes.size
    const wanted = unknown.slice(0, room)
    const left = new Set(unknown.slice(room))
    const { states, unread } = await read(wanted)
    const reached: string[] = []
    for (const edge of found.edges) {
      if (edge.to === null || nodes.has(edge.to)) edges.push(edge)
      else if (left.has(edge.to)) limits.add('nodes')
      else if (!unread.has(edge.to)) {
        const state = states.get(edge.to)
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
  if (!isOver && frontier.length > 0 && (await graph.hasDelegations(frontier))) limits.add('depth')
  return { nodes: [...nodes.values()], edges, reachedBy, limits: [...limits] }
}

/** The agent was deleted between two statements. */
function toExternal(edge: DelegationEdge): DelegationEdge {
  return { ...edge, kind: 'external', to: null, matched_by: null }
}
