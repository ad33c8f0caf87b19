import type { AgentDrift, ManagedAgent } from '@agent-console/sdk'
import { type AskOptions, askConsole } from './ask-console.ts'
import { isUnchanged } from './compare.ts'
import type { DesiredAgent } from './desired.ts'
import { ACTIONS, type Plan, type PlanItem } from './plan-types.ts'
import type { Pool } from './pool.ts'
import { type PruneOptions, planPrune } from './prune.ts'
import type { SetFiles } from './read-files.ts'
import type { Secrets } from './secrets.ts'
import type { SetClient } from './set-client.ts'

export interface PlanOptions {
  client: SetClient
  url: string
  files: SetFiles
  secrets: Secrets
  pool: Pool
  /** Fields that may be overwritten although others have changed them. */
  force: readonly string[]
  /** Undefined: agents without a file stay. */
  prune: PruneOptions | undefined
  signal: AbortSignal
  onProgress: (text: string) => void
}

/** A few dry runs are faster than reading the list of all agents. */
const FEW = 16

/** Compares the files with the console. What differs, or has a secret, is asked by a dry run: the plan is what the console says. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { client, url, files, pool, prune, signal, onProgress } = options
  onProgress('Reading the set…')
  const members = await client.members()
  const candidates = files.desired.map((desired) => ({ desired, member: members.get(desired.key) }))
  const open = await withoutUnchanged(client, candidates)
  const plan: Plan = { set: client.set, url, items: [], unchanged: [], withoutFile: [] }
  const asked = new Set(open)
  for (const { member, desired } of candidates.filter((each) => !asked.has(each))) {
    if (member) plan.unchanged.push(toUnchanged(desired.key, member))
  }
  const drift = createDrift(client)
  const ask: AskOptions = { ...options, drift }
  let done = 0
  await pool.each(
    open,
    async ({ desired, member }) => {
      const item = await askConsole(desired, member, ask)
      if (item) plan.items.push(item)
      else if (member) plan.unchanged.push(toUnchanged(desired.key, member))
      onProgress(`${++done} of ${open.length} compared…`)
    },
    () => signal.aborted,
  )
  signal.throwIfAborted()
  const kept = new Set(files.desired.map(({ key }) => key))
  const leaving = files.isPartial ? [] : [...members.values()].filter(({ key }) => !kept.has(key))
  if (prune) plan.items.push(...(await planPrune(client, leaving, members.size, files.removed, prune)))
  else plan.withoutFile = leaving.map(({ key }) => key)
  plan.items.sort(inOrder)
  return plan
}

interface Candidate {
  desired: DesiredAgent
  member: ManagedAgent | undefined
}

/** Leaves out what the list of agents shows to be equal. */
async function withoutUnchanged(client: SetClient, candidates: Candidate[]): Promise<Candidate[]> {
  const known = candidates.filter(({ member, desired }) => member && desired.secrets.length === 0)
  if (known.length <= FEW) return candidates
  const ids = new Set(known.flatMap(({ member }) => member?.agent_id ?? []))
  const fields = [...new Set(known.flatMap(({ desired }) => Object.keys(desired.spec)))]
  const live = await client.findAgents(ids, fields, 1_000 + 4 * ids.size)
  return candidates.filter(
    ({ desired, member }) => !member || !isUnchanged(desired, member, live.get(member.agent_id)),
  )
}

const toUnchanged = (key: string, { agent_id, revision }: ManagedAgent) => ({ key, agent_id, revision })

const inOrder = (a: PlanItem, b: PlanItem) =>
  ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action) || (a.key < b.key ? -1 : 1)

/** Read once, and only if something has drifted. */
function createDrift(client: SetClient): (key: string) => Promise<AgentDrift | undefined> {
  let read: Promise<Map<string, AgentDrift>> | undefined
  return async (key) => {
    read ??= client.drift()
    return (await read).get(key)
  }
}
