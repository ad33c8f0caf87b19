import type { AgentDelegation } from '@agent-console/sdk'
import { endText, weakestEdges } from '../records/weakest.ts'

export interface Step {
  /** undefined: not an agent of the team. */
  id: string | undefined
  name: string
  stage: string | undefined
}

export interface WeakestPath {
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
