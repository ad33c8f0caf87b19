import type { Agent } from '../contract/agent.ts'
import type { SecretChange, SecretChanges } from './secret-change.ts'
import type { AgentRow } from './store.ts'

/** An agent together with the revision it is at. */
export interface AgentAt {
  agent: Agent
  revision: number
}

/** Secrets are masked, but for those this very request supplied: its answer echoes them. */
export function present({ revision, api_key_mask, ...fields }: AgentRow, changes?: SecretChanges): AgentAt {
  const agent: Agent = { ...fields, api_key: clear(changes?.api_key) ?? api_key_mask }
  const token = clear(changes?.github_token)
  if (token !== undefined) agent.white_box_config = { ...agent.white_box_config, github_token: token }
  return { agent, revision }
}

function clear(change: SecretChange | undefined): string | undefined {
  return change?.action === 'set' ? change.secret : undefined
}
