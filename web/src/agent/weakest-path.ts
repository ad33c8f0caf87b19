import type { AgentDelegation } from '@agent-console/sdk'
import { protectionNumber, STAGES, stageNumber, words } from '../shared/words.ts'

type Path = AgentDelegation['weakest']['trust_stage']['path']

/**
 * The delegations to follow to the weakest agent: the lowest trust stage decides, and at the same stage the
 * protection. Empty: nothing that the agent delegates to has a lower stage or less protection.
 */
export function weakestEdges(delegation: AgentDelegation): Path {
  const { agent_id: self, nodes, weakest } = delegation
  // null: the path leads to an agent that the team does not know, which is weaker than every stage.
  if (weakest.trust_stage.value === null) return weakest.trust_stage.path
  const lowest = nodes.filter(({ trust_stage: stage }) => stage === weakest.trust_stage.value)
  // Nodes are in the order of their distance, and sorting keeps it: the nearest of equals is first.
  const end = lowest.toSorted((one, other) => protectionOf(one) - protectionOf(other))[0]
  return end === undefined || end.id === self ? weakest.protection_status.path : pathTo(delegation, end.id)
}

function protectionOf({ protection_status: protection }: { protection_status?: string }): number {
  return protectionNumber(protection ?? '')
}

/** The shortest way from the agent to another one. */
function pathTo({ nodes, edges }: AgentDelegation, id: string): Path {
  const depths = new Map(nodes.map((node) => [node.id, node.depth]))
  const depthOf = (node: string): number => depths.get(node) ?? 0
  const path: Path = []
  const before = (at: string) => edges.find(({ from, to }) => to === at && depthOf(from) < depthOf(at))
  for (let edge = before(id); edge !== undefined; edge = before(edge.from)) path.unshift(edge)
  return path
}

interface Trust {
  /** undefined: not an agent of the team. */
  stage: string | undefined
  protection: string | undefined
}

/** To compare two agents: the lower, the weaker. 0 for an agent that the team does not know. */
export function strengthOf({ stage, protection }: Trust): number {
  return stage === undefined ? 0 : stageNumber(stage) * 10 + protectionNumber(protection ?? '')
}

const GUARDS: Record<string, string> = {
  unprotected: ' without a guard',
  configured: ', guard not active',
}

/** "ends at Registered without a guard" */
export function endText({ stage, protection }: Trust): string {
  if (stage === undefined) return 'ends outside this registry'
  return `ends at ${words(STAGES, stage)}${GUARDS[protection ?? ''] ?? ''}`
}

export interface Step {
  /** undefined: not an agent of the team. */
  id: string | undefined
  name: string
  stage: string | undefined
}

interface WeakestPath {
  /** From the agent itself to what weakens it. */
  steps: Step[]
  /** Completes "Weakest path 3 agents,": "ends at Tested without a guard". */
  ending: string
}

/** undefined: nothing that the agent delegates to has a lower stage or less protection. */
export function weakestPath(delegation: AgentDelegation): WeakestPath | undefined {
  const { nodes, edges } = delegation
  const path = weakestEdges(delegation)
  if (path.length === 0) return undefined
  const agents = new Map(nodes.map((node) => [node.id, node]))
  const stepTo = (id: string): Step => {
    const node = agents.get(id)
    return { id, name: node?.agent_name ?? id, stage: node?.trust_stage }
  }
  const steps: Step[] = [{ ...stepTo(delegation.agent_id), name: 'This agent' }]
  for (const { from, position, to } of path) {
    const edge = edges.find((each) => each.from === from && each.position === position)
    const outside = { id: undefined, name: edge?.label ?? 'Unknown agent', stage: undefined }
    steps.push(to === null ? outside : stepTo(to))
  }
  const end = agents.get(path.at(-1)?.to ?? '')
  return { steps, ending: endText({ stage: end?.trust_stage, protection: end?.protection_status }) }
}
