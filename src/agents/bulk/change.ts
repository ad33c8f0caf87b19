import type { Caller } from '../../platform/identity/identity.ts'
import type { ChangeConditions } from '../change-agent.ts'
import type { Agents } from '../configuration/service.ts'
import type { Lifecycle } from '../lifecycle/service.ts'
import type { BulkChange } from './request.ts'

export interface ChangeDeps {
  agents: Pick<Agents, 'update' | 'planUpdate'>
  lifecycle: Pick<Lifecycle, 'changeTrustStage' | 'planTrustStage' | 'delete' | 'checkDeletion'>
}

export interface Changed {
  isChanged: boolean
  revision: number
  fields: readonly string[]
}

/** Changes one agent as the operation for one agent does, or finds out what that would do now. */
export async function runChange(
  { agents, lifecycle }: ChangeDeps,
  change: BulkChange,
  caller: Caller,
  id: string,
  { isDryRun, ...conditions }: ChangeConditions & { isDryRun: boolean },
): Promise<Changed> {
  if (change.action === 'delete') {
    const revision = isDryRun
      ? await lifecycle.checkDeletion(caller, id, conditions)
      : await lifecycle.delete(caller, id, { ...conditions, erase: change.erase })
    return { isChanged: true, revision, fields: [] }
  }
  const update = isDryRun ? agents.planUpdate : agents.update
  const changeTrustStage = isDryRun ? lifecycle.planTrustStage : lifecycle.changeTrustStage
  const { revision, fields } =
    change.action === 'update'
      ? await update(caller, id, change.update, conditions)
      : await changeTrustStage(caller, id, change.lifecycle, conditions)
  return { isChanged: fields.length > 0, revision, fields }
}
