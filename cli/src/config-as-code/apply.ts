import type { ManagedAgentResult } from '@agent-console/sdk'
import {
  ApiError,
  Conflict,
  ConsoleError,
  Forbidden,
  NotFound,
  Stale,
  Unauthenticated,
  ValidationFailed,
} from '@agent-console/sdk'
import { hasValues, ownsSame } from './compare.ts'
import type { DesiredAgent } from './desired.ts'
import { type DesiredByKey, isBlocked, type Plan, type PlanItem } from './plan-types.ts'
import type { Pool } from './pool.ts'
import type { Secrets } from './secrets.ts'
import type { Condition, SetClient, SpecWrite } from './set-client.ts'

export interface ApplyOptions {
  client: SetClient
  desired: DesiredByKey
  secrets: Secrets
  pool: Pool
  force: readonly string[]
  reason: string | undefined
  /** Take this agent in place of creating one. */
  adopt?: string
  signal: AbortSignal
  onDone: (outcome: Outcome, count: number) => void
  /** A change was made, and the console could not say whether it has what was sent. */
  onUnchecked: (key: string, error: Error) => void
}

/** What became of a part of a plan. */
export interface Outcome {
  key: string
  action: PlanItem['action']
  status: 'applied' | 'stale' | 'conflict' | 'failed' | 'not_applied'
  agent_id: string | null
  /** After the change. */
  revision: number | null
  error: string | null
  /** JSON pointers to values that look like credentials. */
  warnings: string | null
}

export interface Applied {
  outcomes: Outcome[]
  /** It was not possible to go on. */
  error: unknown
}

/** The order: creations, changes, and at the end what leaves. */
const PHASES: readonly PlanItem['action'][][] = [['create'], ['update', 'drift'], ['archive', 'delete']]

/** Applies a plan, each agent by itself. After an interruption it begins no more of them, and what was begun ends. */
export async function applyPlan({ items }: Plan, options: ApplyOptions): Promise<Applied> {
  const { pool, signal, onDone } = options
  const outcomes = new Map<string, Outcome>()
  let error: unknown
  for (const item of items) outcomes.set(item.key, notApplied(item))
  for (const actions of PHASES) {
    const phase = items.filter(({ action }) => actions.includes(action))
    await pool
      .each(
        phase,
        async (item) => {
          const outcome = await applyItem(item, options)
          outcomes.set(item.key, outcome)
          onDone(outcome, phase.length)
        },
        () => signal.aborted,
      )
      .catch((stopped: unknown) => {
        error = stopped
      })
    if (error !== undefined || signal.aborted) break
  }
  return { outcomes: [...outcomes.values()], error }
}

const notApplied = (item: PlanItem): Outcome => ({
  ...{ key: item.key, action: item.action, status: isBlocked(item) ? 'conflict' : 'not_applied' },
  ...{ agent_id: item.agent_id, revision: item.revision, error: item.reason, warnings: null },
})

async function applyItem(item: PlanItem, options: ApplyOptions): Promise<Outcome> {
  const failed = (status: Outcome['status'], { message, detail }: { message: string; detail?: string }) => ({
    ...{ ...notApplied(item), status, error: detail || message },
  })
  try {
    const desired = options.desired.get(item.key)
    const isPruned = item.action === 'archive' || item.action === 'delete'
    if (!isPruned && desired) return await applySpec(item, desired, options)
    return await prune(item, options)
  } catch (error) {
    if (error instanceof Stale || error instanceof NotFound) {
      return failed('stale', { message: 'It has changed since the plan was made. Plan again.' })
    }
    if (error instanceof Conflict) return failed('conflict', error)
    if (error instanceof ValidationFailed) return failed('failed', error)
    // These would be the same for every other agent.
    if (error instanceof Unauthenticated || error instanceof Forbidden || !(error instanceof ApiError))
      throw error
    return failed('failed', error)
  }
}

async function applySpec(item: PlanItem, desired: DesiredAgent, options: ApplyOptions): Promise<Outcome> {
  const { client, pool, secrets, reason, adopt } = options
  const { key, action, revision } = item
  const write = { key, spec: secrets.reveal(desired.spec, desired.secrets), force: options.force, adopt }
  const condition: Condition = revision === null ? { ifNew: true } : { ifRevision: revision }
  const done = await pool.patiently(async (isRepeated) => {
    try {
      return await client.apply(write, condition, reason)
    } catch (error) {
      // The response to the first try was lost: the change may be its own.
      if (!isRepeated || !(error instanceof Stale)) throw error
      const found = await findOwnChange(client, write)
      if (!found) throw error
      return { ...found, credentialWarnings: null }
    }
  })
  await checkResult(done, desired, write, options)
  return {
    ...{ key, action, status: 'applied', agent_id: done.agent.id, revision: done.revision },
    ...{ error: null, warnings: done.credentialWarnings },
  }
}

/** Undefined if the agent does not have what was sent. */
async function findOwnChange(client: SetClient, write: SpecWrite): Promise<ManagedAgentResult | undefined> {
  const member = (await client.members()).get(write.key)
  if (!member || !ownsSame(member.fields, write.spec)) return undefined
  const result = await client.plan({ ...write, adopt: undefined })
  return result.changes.length === 0 ? result : undefined
}

/** The console must have what was sent. If it spells a value in another way, only it can compare. */
async function checkResult(
  { agent, revision }: ManagedAgentResult,
  { spec, secrets }: DesiredAgent,
  write: SpecWrite,
  { client, pool, onUnchecked }: ApplyOptions,
): Promise<void> {
  const fields = Object.entries(spec).filter(([field]) => !secrets.some(({ path }) => path[0] === field))
  if (hasValues(agent, Object.fromEntries(fields))) return
  const result = await pool
    .patiently(() => client.plan({ ...write, adopt: undefined }))
    // The change is made, whatever becomes of this request.
    .catch((error: unknown) => onUnchecked(write.key, error as Error))
  // Another writer may have been fast.
  if (!result || result.changes.length === 0 || result.revision > revision) return
  const names = result.changes.map(({ field }) => field).join(', ')
  throw new ConsoleError(
    `${write.key} does not have the applied values of ${names}. This is a fault of the program: report it`,
  )
}

async function prune(
  { key, action, agent_id: id, revision, changes }: PlanItem,
  options: ApplyOptions,
): Promise<Outcome> {
  const { client, pool, reason } = options
  const agentId = id ?? ''
  const change = {
    ...(revision !== null && { ifRevision: revision }),
    ...(reason !== undefined && { reason }),
  }
  let current = revision
  if (action === 'delete') await client.agents.delete(agentId, change)
  else {
    // Archived before it leaves: an agent must not be left active by an interruption.
    if (changes.length > 0) {
      ;({ revision: current } = await client.agents.update(agentId, { status: 'archived' }, change))
    }
    await pool.patiently(async (isRepeated) => {
      await client.release(key, reason).catch((error: unknown) => {
        if (!isRepeated || !(error instanceof NotFound)) throw error
      })
    })
  }
  return {
    ...{ key, action, status: 'applied', agent_id: id, revision: current, error: null, warnings: null },
  }
}
