import type { Agent } from '../contract/agent.ts'
import type { AgentLatestEvaluation } from '../contract/agent-parts.ts'
import type { SecretText } from '../platform/secret-text.ts'
import type { SecretChange, SecretChanges } from './secret-change.ts'
import type { AgentRow } from './store.ts'

/** An agent together with the revision it is at. */
export interface AgentAt {
  /** Its secrets are masked. */
  agent: Agent
  revision: number
  /** The secrets that the request itself supplied. */
  supplied: { api_key: SecretText | undefined; github_token: SecretText | undefined }
}

export function present(row: AgentRow, changes?: SecretChanges): AgentAt {
  const { revision, api_key_mask, latest_evaluation: _, behaviour_revision: __, ...fields } = row
  return {
    agent: { ...fields, api_key: api_key_mask },
    revision,
    supplied: { api_key: supplied(changes?.api_key), github_token: supplied(changes?.github_token) },
  }
}

/** An agent with its scores, for a reader who asked for them. */
export function presentWithScores(row: AgentRow): AgentAt {
  const presented = present(row)
  return { ...presented, agent: { ...presented.agent, latest_evaluation: presentEvaluation(row) } }
}

/** An evaluation holds until the agent's behaviour changes. */
export function presentEvaluation({
  latest_evaluation: evaluation,
  behaviour_revision,
}: Pick<AgentRow, 'latest_evaluation' | 'behaviour_revision'>): AgentLatestEvaluation | null {
  return evaluation && { ...evaluation, current: evaluation.revision >= behaviour_revision }
}

function supplied(change: SecretChange | undefined): SecretText | undefined {
  return change?.action === 'set' ? change.secret : undefined
}

/** The agent for the answer to the request that supplied secrets: those, and no others, in clear. */
export function echo({ agent, supplied: { api_key, github_token } }: AgentAt): Agent {
  return {
    ...agent,
    ...(api_key && { api_key: api_key.reveal() }),
    ...(github_token && {
      white_box_config: { ...agent.white_box_config, github_token: github_token.reveal() },
    }),
  }
}
