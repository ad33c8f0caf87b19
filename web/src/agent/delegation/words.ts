import { PROTECTION, STAGES, words } from '../../shared/words.ts'
import { endText } from '../records/weakest.ts'
import type { GraphNode } from './graph.ts'

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
