import type { Agent } from '../contract/agent.ts'
import type { AgentLatestEvaluation } from '../contract/agent-parts.ts'
import type { SecretChange, SecretChanges } from './secret-change.ts'
import type { AgentRow } from './store.ts'

/** An agent together with the revision it is at. */
export interface AgentAt {
  agent: Agent
  revision: number
}

/** Secrets are masked, but for those this very request supplied: its answer echoes them. */
export function present(row: AgentRow, changes?: SecretChanges): AgentAt {
  const { revision, api_key_mask, latest_evaluation: _, behaviour_revision: __, ...fields } = row
  const agent: Agent = { ...fields, api_key: clear(changes?.api_key) ?? api_key_mask }
  const token = clear(changes?.github_token)
  if (token !== undefined) agent.white_box_config = { ...agent.white_box_config, github_token: token }
  return { agent, revision }
}

/** An agent with its scores, for a reader who asked for them. */
export function presentWithScores(row: AgentRow): AgentAt {
  const { agent, revision } = present(row)
  return { agent: { ...agent, latest_evaluation: presentEvaluation(row) }, revision }
}

/** An evaluation holds until the agent's behaviour changes. */
export function presentEvaluation({
  latest_evaluation: evaluation,
  behaviour_revision,
}: Pick<AgentRow, 'latest_evaluation' | 'behaviour_revision'>): AgentLatestEvaluation | null {
  return evaluation && { ...evaluation, current: evaluation.revision >= behaviour_revision }
}

function clear(change: SecretChange | undefined): string | undefined {
  return change?.action === 'set' ? change.secret : undefined
}
