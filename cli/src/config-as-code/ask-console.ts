import type { AgentDrift, ManagedAgent, ManagedAgentResult } from '@agent-console/sdk'
import { Conflict, Stale, ValidationFailed } from '@agent-console/sdk'
import { ownsSame } from './compare.ts'
import type { DesiredAgent } from './desired.ts'
import type { PlanItem, PlannedChange, PlannedSecret } from './plan-types.ts'
import type { Pool } from './pool.ts'
import { describeSource, type Secrets } from './secrets.ts'
import type { SetClient } from './set-client.ts'

export interface AskOptions {
  client: SetClient
  pool: Pool
  secrets: Secrets
  force: readonly string[]
  /** What others have changed of an agent. */
  drift: (key: string) => Promise<AgentDrift | undefined>
  /** Take this agent in place of creating one. */
  adopt?: string
}

/** Conflicts that a decision of the user ends. All others concern the set as a whole. */
const CONFLICTS: readonly unknown[] = ['field_drifted', 'field_owned', 'agent_bound']

/** Asks by a dry run what applying a document would do. Undefined: nothing. */
export async function askConsole(
  desired: DesiredAgent,
  member: ManagedAgent | undefined,
  options: AskOptions,
): Promise<PlanItem | undefined> {
  const { key, file, spec } = desired
  const { client, pool, secrets, force, adopt } = options
  const write = { key, spec: secrets.reveal(spec, desired.secrets), force, adopt }
  const empty: PlanItem = {
    ...{ key, file, action: 'conflict', agent_id: member?.agent_id ?? adopt ?? null },
    ...{
      revision: member?.revision ?? null,
      changes: [],
      secrets: [],
      taken: [],
      released: [],
      reason: null,
    },
  }
  let result: ManagedAgentResult
  try {
    result = await pool.patiently(() => client.plan(write, member ? undefined : { ifNew: true }))
  } catch (error) {
    if (error instanceof ValidationFailed) {
      const reason = error.faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('\n')
      return { ...empty, action: 'invalid', reason }
    }
    if (error instanceof Stale) return { ...empty, reason: 'Another apply has just created it. Plan again.' }
    if (!(error instanceof Conflict) || !CONFLICTS.includes(error.code)) throw error
    const isDrift = error.code === 'field_drifted'
    const changes = isDrift ? contested(desired, await options.drift(key)) : []
    const names = changes.map(({ field }) => field)
    return { ...empty, changes, reason: isDrift ? whyContested(names) : error.detail }
  }
  return toItem(desired, member, result, empty, options)
}

async function toItem(
  desired: DesiredAgent,
  member: ManagedAgent | undefined,
  { changes: found, released, revision }: ManagedAgentResult,
  empty: PlanItem,
  { adopt, drift }: AskOptions,
): Promise<PlanItem | undefined> {
  const { spec } = desired
  if (member && found.length === 0 && ownsSame(member.fields, spec)) return undefined
  const isNew = !member && adopt === undefined
  const drifted = found.some((change) => change.drifted) ? await drift(desired.key) : undefined
  const secrets = describeSecrets(desired, found)
  const changes = found
    .filter(({ field, old, new: value }) => !isOnlySecret(field, old, value, secrets))
    .map((change) => toChange(change, drifted))
  const isSetBack = found.length > 0 && found.every((change) => change.drifted)
  return {
    ...empty,
    action: isNew ? 'create' : isSetBack ? 'drift' : 'update',
    // The revision that the console compared with. The list of the set may be older.
    revision: isNew ? null : revision,
    ...{ changes, secrets, released },
    taken: isNew ? [] : Object.keys(spec).filter((field) => !member?.fields.includes(field)),
  }
}

type FoundChange = ManagedAgentResult['changes'][number]

function toChange(
  { field, old, new: value, drifted }: FoundChange,
  drift: AgentDrift | undefined,
): PlannedChange {
  const changed = drift?.fields.find((each) => each.field === field)
  return {
    ...{ field, old: withoutToken(field, old), new: withoutToken(field, value), drifted },
    changed_by: changed ? (changed.changed_by_name ?? changed.changed_by) : null,
    changed_at: changed?.changed_at ?? null,
  }
}

function describeSecrets({ secrets }: DesiredAgent, changes: FoundChange[]): PlannedSecret[] {
  return secrets.map(({ path, source }) => ({
    field: path.join('.'),
    from: describeSource(source),
    changes: changes.some(({ field, secret_changed: isChanged }) => field === path[0] && isChanged),
  }))
}

/** A secret has a line of its own. */
function isOnlySecret(field: string, old: unknown, value: unknown, secrets: PlannedSecret[]): boolean {
  if (field === 'api_key') return secrets.some((secret) => secret.field === field)
  const [before, after] = [withoutToken(field, old), withoutToken(field, value)].map((each) =>
    JSON.stringify(each),
  )
  return field === 'white_box_config' && before === after
}

function withoutToken(field: string, value: unknown): unknown {
  if (field !== 'white_box_config' || typeof value !== 'object' || value === null) return value
  const { github_token: _, ...rest } = value as Record<string, unknown>
  return rest
}

/** The fields that both the file and another writer have changed. */
function contested({ spec }: DesiredAgent, drift: AgentDrift | undefined): PlannedChange[] {
  return (drift?.fields ?? [])
    .filter(({ field, applied, live, secret_changed: isSecret }) => {
      const wanted = JSON.stringify(spec[field])
      return isSecret || (wanted !== JSON.stringify(live) && wanted !== JSON.stringify(applied))
    })
    .map(({ field, live, changed_by: by, changed_by_name: name, changed_at: at }) => ({
      ...{
        field,
        old: withoutToken(field, live),
        new: field === 'api_key' ? null : withoutToken(field, spec[field] ?? null),
      },
      ...{ drifted: true, changed_by: name ?? by, changed_at: at },
    }))
}

function whyContested(fields: string[]): string {
  const options = fields.map((field) => `--force-field ${field}`).join(' ')
  return `Another writer has changed what the file changes too. Overwrite it with ${options || '--force-field FIELD'}, or write its value into the file.`
}
