import { readFile, writeFile } from 'node:fs/promises'
import type { ManagedAgent } from '@agent-console/sdk'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { type DesiredAgent, digestOf } from './desired.ts'
import type { Plan, PlanItem } from './plan-types.ts'
import type { SetFiles } from './read-files.ts'

const FORMAT = 1

/** A plan to apply later. It has no values: those are in the files. */
export interface PlanFile {
  format: typeof FORMAT
  set: string
  url: string
  force: string[]
  agents: PlannedAgent[]
}

export interface PlannedAgent extends Pick<PlanItem, 'key' | 'agent_id' | 'revision'> {
  action: PlanItem['action'] | 'none'
  /** Of the document, without its secrets. null: the agent is pruned. */
  digest: string | null
  /** Fields that change. */
  fields: string[]
}

export async function writePlanFile(
  path: string,
  { set, url, items, unchanged }: Plan,
  desired: ReadonlyMap<string, DesiredAgent>,
  force: readonly string[],
): Promise<void> {
  const digest = (key: string) => {
    const document = desired.get(key)
    return document ? digestOf(document.spec) : null
  }
  const agents: PlannedAgent[] = [
    ...items.map(({ key, action, agent_id, revision, changes, secrets }) => ({
      ...{ key, action, agent_id, revision, digest: digest(key) },
      fields: [
        ...changes.map(({ field }) => field),
        ...secrets.filter((secret) => secret.changes).map(({ field }) => field),
      ],
    })),
    ...unchanged.map((each) => ({ ...each, action: 'none' as const, digest: digest(each.key), fields: [] })),
  ]
  const file: PlanFile = { format: FORMAT, set, url, force: [...force], agents }
  await writeFile(path, `${JSON.stringify(file, null, 1)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be written: ${error.code}.`)
  })
}

export async function readPlanFile(path: string): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.code}.`,
    )
  })
  try {
    const file = JSON.parse(text) as PlanFile
    if (file.format === FORMAT && Array.isArray(file.agents)) return file
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `${path} is not a plan of this version of agent-console. Write it with: plan --out FILE`,
  )
}

/** The plan again, if nothing has changed since it was written. It is refused otherwise, and not made anew: a person has read it. */
export function readPlan(
  file: PlanFile,
  files: Pick<SetFiles, 'desired'>,
  members: ReadonlyMap<string, ManagedAgent>,
): Plan {
  const desired = new Map(files.desired.map((each) => [each.key, each]))
  const reasons = [
    ...file.agents.flatMap((planned) =>
      whyStale(planned, desired.get(planned.key), members.get(planned.key)),
    ),
    ...[...desired.keys()]
      .filter((key) => !file.agents.some((planned) => planned.key === key))
      .map((key) => `${key}: its file is new`),
  ]
  if (reasons.length > 0) {
    const shown = reasons.slice(0, 20).map((reason) => `  ${reason}`)
    const more = reasons.length > shown.length ? [`  … and ${reasons.length - shown.length} more`] : []
    throw new Failure(['The plan is out of date. Make a new one:', ...shown, ...more].join('\n'), EXIT.stale)
  }
  const { set, url, agents } = file
  const items = agents.filter(({ action }) => action !== 'none') as (PlannedAgent & PlanItem)[]
  return {
    ...{ set, url, withoutFile: [], unchanged: [] },
    items: items.map(({ key, action, agent_id, revision, fields }) => ({
      ...{ key, action, agent_id, revision, file: desired.get(key)?.file ?? null },
      changes: fields.map((field) => ({
        ...{ field, old: null, new: null, drifted: false, changed_by: null, changed_at: null },
      })),
      ...{ secrets: [], taken: [], released: [], reason: null },
    })),
  }
}

function whyStale(
  { key, action, agent_id: id, revision, digest }: PlannedAgent,
  desired: DesiredAgent | undefined,
  member: ManagedAgent | undefined,
): string[] {
  const isPruned = action === 'archive' || action === 'delete'
  if (isPruned === (desired !== undefined)) return [`${key}: its file ${isPruned ? 'is back' : 'is gone'}`]
  if (desired && digestOf(desired.spec) !== digest) return [`${key}: its file has changed`]
  if (revision === null) return member ? [`${key}: the set has it already`] : []
  if (!member || member.agent_id !== id) return [`${key}: the set no longer has this agent`]
  return member.revision === revision
    ? []
    : [`${key}: the agent is at revision ${member.revision}, not ${revision}`]
}
