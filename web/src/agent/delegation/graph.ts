import type { AgentDelegation, AgentDependentPage } from '@agent-console/sdk'
import { PROTECTION, STAGES, words } from '../../shared/words.ts'
import { endText, strengthOf, weakestEdges } from '../weakest-path.ts'

export interface GraphNode {
  key: string
  kind: 'agent' | 'external' | 'ambiguous'
  /** null: not an agent of the team. */
  id: string | null
  name: string
  stage: string | undefined
  protection: string | undefined
  evaluation: string | undefined
  /** -1: hands work to the agent; 0: the agent itself; from 1: steps away from it. */
  column: number
  isWeak: boolean
  /** The last one of the weakest path. */
  isWeakest: boolean
}

interface GraphEdge {
  key: string
  from: string
  to: string
  isWeak: boolean
}

export interface Graph {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
}

type Delegation = AgentDelegation['edges'][number]
type Dependent = AgentDependentPage['results'][number]

/** Delegations of the agent to the right, agents that delegate to it to the left. */
export function toGraph(delegation: AgentDelegation, dependents: readonly Dependent[]): Graph {
  const path = weakestEdges(delegation).map(edgeKey)
  const weak = new Set(path)
  const depths = new Map(delegation.nodes.map(({ id, depth }) => [id, depth]))
  const weakTargets = new Set(delegation.edges.filter((edge) => weak.has(edgeKey(edge))).map(targetOf))
  const last = delegation.edges.find((edge) => edgeKey(edge) === path.at(-1))
  const weakest = last === undefined ? undefined : targetOf(last)
  const mark = (key: string) => ({ isWeak: weakTargets.has(key), isWeakest: key === weakest })

  const nodes = new Map<string, GraphNode>()
  for (const node of delegation.nodes) {
    nodes.set(node.id, { ...agentNode(node, node.depth), ...mark(node.id) })
  }
  for (const edge of delegation.edges) {
    const key = targetOf(edge)
    const column = (depths.get(edge.from) ?? 0) + 1
    if (edge.kind !== 'agent' && !nodes.has(key))
      nodes.set(key, { ...outsideNode(edge, key, column), ...mark(key) })
  }
  const edges = delegation.edges
    .filter((edge) => nodes.has(targetOf(edge)))
    .map((edge) => ({
      key: edgeKey(edge),
      from: edge.from,
      to: targetOf(edge),
      isWeak: weak.has(edgeKey(edge)),
    }))
  for (const dependent of dependents) {
    // In a cycle it stands on the right already, with its delegation.
    if (nodes.has(dependent.id)) continue
    nodes.set(dependent.id, { ...agentNode(dependent, -1), isWeak: false, isWeakest: false })
    edges.push({
      key: edgeKey({ ...dependent, from: dependent.id }),
      from: dependent.id,
      to: delegation.agent_id,
      isWeak: false,
    })
  }
  return { nodes: [...nodes.values()], edges }
}

function edgeKey({ from, position }: { from: string; position: number }): string {
  return `${from}:${position}`
}

/** The same address from two agents is one node. */
function targetOf({ kind, to, label, from, position }: Delegation): string {
  return to ?? `${kind}:${label ?? edgeKey({ from, position })}`
}

function agentNode(
  node: Pick<
    AgentDelegation['nodes'][number],
    'id' | 'agent_name' | 'trust_stage' | 'protection_status' | 'evaluation'
  >,
  column: number,
): Omit<GraphNode, 'isWeak' | 'isWeakest'> {
  return {
    key: node.id,
    kind: 'agent',
    id: node.id,
    name: node.agent_name,
    stage: node.trust_stage,
    protection: node.protection_status,
    evaluation: node.evaluation,
    column,
  }
}

function outsideNode(
  { kind, label }: Delegation,
  key: string,
  column: number,
): Omit<GraphNode, 'isWeak' | 'isWeakest'> {
  return {
    key,
    kind: kind === 'ambiguous' ? 'ambiguous' : 'external',
    id: null,
    name: shortAddress(label),
    stage: undefined,
    protection: undefined,
    evaluation: undefined,
    column,
  }
}

/** The host of an address is what people know; the whole of it is in the table. */
export function shortAddress(label: string | null): string {
  if (label === null) return 'No address'
  return URL.canParse(label) ? new URL(label).host || label : label
}

/** It neither hands work to an agent nor gets work from one. An agent that hands work to itself is not alone. */
export function isAlone({ edges }: Graph): boolean {
  return edges.length === 0
}

/** The agents of the weakest path, from the agent itself. */
export function weakestPath({ nodes, edges }: Graph): GraphNode[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const self = nodes.find(({ column }) => column === 0)
  const path = self === undefined ? [] : [self]
  for (let at = self?.key; at !== undefined; ) {
    const next = edges.find(({ from, isWeak }) => isWeak && from === at)?.to
    const node = next === undefined || path.some(({ key }) => key === next) ? undefined : byKey.get(next)
    if (node !== undefined) path.push(node)
    at = node?.key
  }
  return path
}

/**
 * For each delegation that is not on the weakest path: the way to it from the agent, the weakest end first.
 * A way that goes on to an agent as weak or weaker is shown once, as the longer one.
 */
export function otherPaths({ nodes, edges }: Graph): GraphNode[][] {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const ways = waysFrom(nodes, edges)
  const paths = edges.flatMap(({ from, to, isWeak }) => {
    const way = ways.get(from)
    const end = byKey.get(to)
    const isCycle = end?.column === 0 || way?.some(({ key }) => key === to) === true
    return isWeak || way === undefined || end === undefined || isCycle ? [] : [[...way, end]]
  })
  const weakestBeyond = new Map<string, number>()
  for (const path of paths) {
    for (let length = 1; length < path.length; length++) {
      const start = pathKey(path.slice(0, length))
      weakestBeyond.set(start, Math.min(weakestBeyond.get(start) ?? Infinity, strengthOfEnd(path)))
    }
  }
  return paths
    .filter((path) => strengthOfEnd(path) < (weakestBeyond.get(pathKey(path)) ?? Infinity))
    .toSorted((one, other) => strengthOfEnd(one) - strengthOfEnd(other))
}

/** The shortest way from the agent to each one that it reaches, without the agent itself. */
function waysFrom(nodes: Graph['nodes'], edges: Graph['edges']): Map<string, GraphNode[]> {
  const byKey = new Map(nodes.map((node) => [node.key, node]))
  const self = nodes.find(({ column }) => column === 0)
  const ways = new Map<string, GraphNode[]>(self === undefined ? [] : [[self.key, []]])
  // The loop also visits the ways that it adds, nearest first.
  for (const [at, way] of ways) {
    for (const { from, to } of edges) {
      const next = byKey.get(to)
      if (from === at && next !== undefined && !ways.has(to)) ways.set(to, [...way, next])
    }
  }
  return ways
}

export function pathKey(path: readonly GraphNode[]): string {
  return path.map(({ key }) => key).join()
}

function strengthOfEnd(path: readonly GraphNode[]): number {
  const end = path.at(-1)
  return end === undefined ? Infinity : strengthOf(end)
}

export function outsideText({ kind }: GraphNode): string {
  return kind === 'ambiguous' ? 'Several agents match' : 'Not in this registry'
}

/** "no guard", "not in this registry": why a path is weak there. */
export function weaknessText(node: GraphNode): string {
  if (node.id === null) return outsideText(node).toLowerCase()
  if (node.protection === 'unprotected') return 'no guard'
  const stage = words(STAGES, node.stage ?? '')
  return node.protection === 'configured' ? `${stage}, guard not active` : stage
}

/** "3 agents, ends at Registered without a guard" */
export function pathTitle(path: readonly GraphNode[]): string {
  const end = path.at(-1)
  return end === undefined ? '' : `${path.length} agents, ${endText(end)}`
}

/** "Tested and unprotected" */
export function trustText({ stage = '', protection = '' }: GraphNode): string {
  return `${words(STAGES, stage)} and ${words(PROTECTION, protection).toLowerCase()}`
}

/** Why the graph is not whole, as the API names the limits. */
export const LIMITS: Record<string, string> = {
  depth: 'agents at the last step hand work on',
  nodes: 'there are more agents than one graph shows',
  edges: 'there are more delegations than one graph shows',
  time: 'it took too long to follow them all',
}
