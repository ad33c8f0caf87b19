import type { AgentFunctions } from './agent-functions.ts'
import type { Confirmations } from './confirmation.ts'
import type { Tool } from './tool.ts'
import { createAgent } from './tools/create-agent.ts'
import { diffRevisions } from './tools/diff-revisions.ts'
import { evaluationStatus } from './tools/evaluation-status.ts'
import { getAgent } from './tools/get-agent.ts'
import { listRevisions } from './tools/list-revisions.ts'
import { restoreRevision } from './tools/restore-revision.ts'
import { searchAgents } from './tools/search-agents.ts'
import { updateAgent } from './tools/update-agent.ts'

/** In the order in which they are listed: a fixed one lets hosts cache their prompts. There is none for deletions, secrets, the
 * trust stage and mounted services. */
export function createTools(agents: AgentFunctions, confirmations: Confirmations): Tool[] {
  return [
    searchAgents(agents, confirmations),
    getAgent(agents, confirmations),
    listRevisions(agents, confirmations),
    diffRevisions(agents, confirmations),
    evaluationStatus(agents, confirmations),
    updateAgent(agents, confirmations),
    restoreRevision(agents, confirmations),
    createAgent(agents, confirmations),
  ]
}
