import { STAGES, words } from '../../shared/words.ts'
import type { GraphNode } from './graph.ts'

export function outsideText({ kind }: GraphNode): string {
  return kind === 'ambiguous' ? 'Several agents match' : 'Not in this registry'
}

/** "no guard", "not in this registry": why a path is weak there. */
export function weaknessText(node: GraphNode): string {
  if (node.id === null) return outsideText(node).toLowerCase()
  return node.protection === 'unprotected' ? 'no guard' : words(STAGES, node.stage ?? '')
}

/** "3 agents, ends at Registered without a guard" */
export function pathTitle(path: readonly GraphNode[]): string {
  const end = path.at(-1)
  if (end === undefined) return ''
  if (end.id === null) return `${path.length} agents, ends outside this registry`
  const guard = end.protection === 'unprotected' ? ' without a guard' : ''
  return `${path.length} agents, ends at ${words(STAGES, end.stage ?? '')}${guard}`
}

/** Why the graph is not whole, as the API names the limits. */
export const LIMITS: Record<string, string> = {
  depth: 'agents at the last step hand work on',
  nodes: 'there are more agents than one graph shows',
  edges: 'there are more delegations than one graph shows',
  time: 'it took too long to follow them all',
  indexing: 'agents of an earlier version are still being read',
  redacted: 'delegations were removed from history',
}
