import { TRUST_STAGES } from '../../contract/agent.ts'
import { Problem } from '../../contract/problem.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Columns } from '../change-statement.ts'
import { hasDependent } from './dependents-store.ts'

type TrustStage = (typeof TRUST_STAGES)[number]

/** Whether the request asks to be refused, and agents at this trust stage or a later one delegate to the agent. */
export async function mustRefuse(
  sql: Statements,
  teamId: string,
  id: string,
  stage: TrustStage | undefined,
): Promise<boolean> {
  if (stage === undefined) return false
  return hasDependent(sql, teamId, id, TRUST_STAGES.slice(TRUST_STAGES.indexOf(stage)))
}

/** Throws if the change can break the agents that delegate to the agent. */
export function refuseBreakingChange(mustBeRefused: boolean, columns: Columns): void {
  if (!mustBeRefused) return
  const isBreaking = 'agent_url' in columns || 'model_name' in columns || columns['status'] === 'archived'
  if (isBreaking) throw new Problem('has_dependents')
}

export function isEarlierStage(stage: TrustStage, than: TrustStage | undefined): boolean {
  return than !== undefined && TRUST_STAGES.indexOf(stage) < TRUST_STAGES.indexOf(than)
}
