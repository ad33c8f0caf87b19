import { EVALUATION_STATES, listDependents } from '../../agent/dependents.ts'
import { findCurrentRevision } from '../../agent/history/past-agent.ts'
import { PROTECTION_STATUSES, TRUST_STAGES } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../api/pages.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { findAgents, findDelegations, hasDelegations } from './queries.ts'
import {
  type AgentDelegation,
  type AgentDependentPage,
  type DelegationEdge,
  type DelegationNode,
  type DelegationQuery,
  type DependentsQuery,
  MAX_DEPTH,
  type WalkLimit,
} from './schema.ts'

/** An operation on delegations reads only with the time limit of searches. */
type Searches = { database: Pick<Core['database'], 'searches'> }

const MAX_WALK_MS = 1_000

/** What an agent delegates to, directly and through others. */
export async function readDelegation(
  { database, now }: Searches & Pick<Core, 'now'>,
  { teamId }: Caller,
  id: string,
  { depth }: DelegationQuery,
): Promise<AgentDelegation> {
  const startedAt = now()
  const isLate = () => now() - startedAt > MAX_WALK_MS
  const found = await walk(database.searches.of(teamId), teamId, id, { depth, isLate })
  if (!found) throw new Problem('agent_not_found')
  return {
    agent_id: id,
    nodes: found.nodes,
    edges: found.edges,
    cycles: findCycles(found),
    weakest: findWeakest(found),
    complete: found.limits.length === 0,
    limits: found.limits,
  }
}

/** The agents that delegate to an agent directly. */
export async function listAgentDependents(
  { database }: Searches,
  { teamId }: Caller,
  id: string,
  { limit = 100, cursor }: DependentsQuery,
): Promise<AgentDependentPage> {
  const sql = database.searches.of(teamId)
  const [after = null] = (decodeCursor(id, cursor, isPosition) ?? []) as string[]
  if ((await findCurrentRevision(sql, teamId, id)) === undefined) throw new Problem('agent_not_found')
  const rows = await listDependents(sql, teamId, id, { after, limit: limit + 1 })
  return toPage(rows, limit, id, (last) => [last.id])
}

const isPosition = ([id, ...rest]: unknown[]) => isCanonicalUuid(id) && rest.length === 0

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

type Path = AgentDelegation['weakest']['trust_stage']['path']

/** The weakest values that a walk reached. A minimum over what is reachable, so that cycles do not matter. */
function findWeakest(walk: Walk): AgentDelegation['weakest'] {
  return {
    trust_stage: weakestOf(walk, TRUST_STAGES, (node) => node.trust_stage),
    protection_status: weakestOf(walk, PROTECTION_STATUSES, (node) => node.protection_status),
    evaluation: weakestOf(walk, EVALUATION_STATES, (node) => node.evaluation),
  }
}

/** Nodes and edges are in the order of their distance, so the first one found has the shortest path. */
function weakestOf<Value extends string>(
  walk: Walk,
  values: readonly Value[],
  read: (node: DelegationNode) => Value | undefined,
): { value: Value | null; path: Path } {
  const unresolved = walk.edges.find(({ to }) => to === null)
  if (unresolved) return { value: null, path: [...pathTo(walk, unresolved.from), toStep(unresolved)] }
  let weakest: { id: string; rank: number } | undefined
  for (const node of walk.nodes) {
    const rank = values.indexOf(read(node) as Value)
    if (!weakest || rank < weakest.rank) weakest = { id: node.id, rank }
  }
  return { value: values[weakest?.rank ?? 0] ?? null, path: weakest ? pathTo(walk, weakest.id) : [] }
}

function pathTo({ reachedBy }: Walk, id: string): Path {
  const path: Path = []
  for (let edge = reachedBy.get(id); edge; edge = reachedBy.get(edge.from)) path.push(toStep(edge))
  return path.toReversed()
}

const toStep = ({ from, position, to }: DelegationEdge) => ({ from, position, to })

/** The strongly connected components that have a cycle, by the algorithm of Tarjan. Without recursion: a path can
 * have a thousand agents. */
function findCycles({ nodes, edges }: Pick<Walk, 'nodes' | 'edges'>): string[][] {
  const targets = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  for (const { from, to } of edges) if (to !== null) targets.get(from)?.push(to)
  const order = new Map(nodes.map(({ id }, index) => [id, index]))
  const visited = new Map<string, { index: number; low: number; isOpen: boolean }>()
  const open: string[] = []
  const cycles: string[][] = []

  const enter = (id: string) => {
    const visit = { index: visited.size, low: visited.size, isOpen: true }
    visited.set(id, visit)
    open.push(id)
    return { id, visit, next: (targets.get(id) ?? []).values() }
  }
  const close = (id: string) => {
    const component = open.splice(open.lastIndexOf(id))
    for (const member of component) {
      const visit = visited.get(member)
      if (visit) visit.isOpen = false
    }
    if (component.length > 1 || targets.get(id)?.includes(id)) {
      cycles.push(component.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)))
    }
  }

  for (const { id: start } of nodes) {
    const path = visited.has(start) ? [] : [enter(start)]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: target } = top.next.next()
      const seen = target === undefined ? undefined : visited.get(target)
      if (target !== undefined && !seen) path.push(enter(target))
      else if (seen) {
        if (seen.isOpen) top.visit.low = Math.min(top.visit.low, seen.index)
      } else {
        path.pop()
        const parent = path.at(-1)
        if (parent) parent.visit.low = Math.min(parent.visit.low, top.visit.low)
        if (top.visit.low === top.visit.index) close(top.id)
      }
    }
  }
  return cycles.toSorted((a, b) => (order.get(a[0] ?? '') ?? 0) - (order.get(b[0] ?? '') ?? 0))
}
