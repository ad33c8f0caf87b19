import type { ManagedAgent } from '@agent-console/sdk'
import { Failure, UsageError } from '../failure.ts'
import type { RemovedAgent } from './desired.ts'
import type { PlanItem } from './plan-types.ts'
import type { PruneStatus } from './project.ts'
import type { SetClient } from './set-client.ts'

export interface PruneOptions {
  /** `N` or `N%` of the agents of the set. */
  max: string
  /** Also agents that others have changed. */
  isForced: boolean
  statusOnPrune: PruneStatus
}

export const DEFAULT_MAX = '10%'

export function checkMax(text: string): string {
  const [, number = '', percent = ''] = /^(\d{1,9})(%?)$/.exec(text) ?? []
  if (number === '' || (percent !== '' && Number(number) > 100)) {
    throw new UsageError(`--max-prune is a number or a part, such as 5 or 10%, not ${text}.`)
  }
  return text
}

/** At least one: a set of few agents could never lose one otherwise. */
const allowed = (max: string, agents: number) =>
  max.endsWith('%') ? Math.max(1, Math.floor((agents * Number(max.slice(0, -1))) / 100)) : Number(max)

/** What happens to the agents of a set that have no file. */
export async function planPrune(
  client: SetClient,
  leaving: readonly ManagedAgent[],
  agents: number,
  removed: readonly RemovedAgent[],
  { max, isForced, statusOnPrune }: PruneOptions,
): Promise<PlanItem[]> {
  const most = allowed(max, agents)
  if (leaving.length > most) {
    const keys = leaving.slice(0, 10).map(({ key }) => `  ${key}`)
    throw new Failure(
      [
        `--prune would take ${leaving.length} of the ${agents} agents of the set, more than ${most} (--max-prune ${max}):`,
        ...[...keys, ...(leaving.length > keys.length ? ['  …'] : [])],
        `Nothing was changed. If this is meant, give --max-prune ${leaving.length}.`,
      ].join('\n'),
    )
  }
  const items: PlanItem[] = []
  for (const { key, agent_id: id, revision: listed, applied_revision: applied } of leaving) {
    const document = removed.find((each) => each.key === key)
    const { agent, revision } = await client.agents.get(id)
    const isDeleted = (document?.statusOnPrune ?? statusOnPrune) === 'delete'
    const isArchived = !isDeleted && agent.status === 'archived'
    const changed = { drifted: false, changed_by: null, changed_at: null }
    const item: PlanItem = {
      ...{
        key,
        action: isDeleted ? 'delete' : 'archive',
        file: document?.file ?? null,
        agent_id: id,
        revision,
      },
      changes:
        isDeleted || isArchived ? [] : [{ field: 'status', old: agent.status, new: 'archived', ...changed }],
      ...{ secrets: [], taken: [], released: [], reason: null },
    }
    // One that is archived already only leaves the set.
    const isBlocked = !isForced && !isArchived && Math.max(listed, revision) > applied
    const reason = `It has no file, and others have changed it since the last apply. Prune it with --force, or give it a file again.`
    items.push(isBlocked ? { ...item, action: 'conflict', changes: [], reason } : item)
  }
  return items
}
