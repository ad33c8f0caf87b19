import type { AgentDelegation } from '@agent-console/sdk'

export interface Step {
  /** undefined: not an agent of the team. */
  id: string | undefined
  name: string
  stage: string | undefined
}

export interface WeakestPath {
  /** From the agent itself to what weakens it. */
  steps: Step[]
  /** Completes "Weakest path 3 steps,": "ends unprotected". */
  ending: string
}

/** undefined: nothing that the agent delegates to is weaker than the agent. */
export function weakestPath(delegation: AgentDelegation): WeakestPath | undefined {
  const { nodes, edges, weakest } = delegation
  const { path } = weakest.trust_stage
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
  const last = path.at(-1)?.to
  return { steps, ending: endingOf(last == null ? undefined : agents.get(last)?.protection_status) }
}

function endingOf(protection: string | undefined): string {
  if (protection === undefined) return 'ends outside the team'
  return protection === 'guarded' ? 'ends guarded' : `ends ${protection}`
}
