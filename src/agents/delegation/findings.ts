import { PROTECTION_STATUSES, TRUST_STAGES } from '../../contract/agent.ts'
import {
  type AgentDelegation,
  type DelegationEdge,
  type DelegationNode,
  EVALUATION_STATES,
} from '../../contract/delegation.ts'
import type { Walk } from './walk.ts'

type Path = AgentDelegation['weakest']['trust_stage']['path']

/** The weakest values that a walk reached. A minimum over what is reachable, so that cycles do not matter. */
export function findWeakest(walk: Walk): AgentDelegation['weakest'] {
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
export function findCycles({ nodes, edges }: Pick<Walk, 'nodes' | 'edges'>): string[][] {
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
