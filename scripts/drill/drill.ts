import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { ok, problem, type Result, skipped } from '../doctor/finding.ts'
import { checkStoredSecrets } from '../doctor/stored-secrets.ts'
import { checkAudit, checkCounts, checkSchema } from './checks.ts'
import { clusterUrl, connectWhenRecovered, startCluster, stopCluster } from './cluster.ts'
import { createRun } from './command.ts'
import type { DrillOptions } from './options.ts'
import { type Backup, findBackup, restore } from './repository.ts'
import { checkRevisions } from './revisions.ts'
import { createSteps, type RunStep, type Step } from './steps.ts'

/** Restores the newest backup, checks it and removes it. Returns the steps. */
export async function drillRestore(
  options: DrillOptions,
  report: (step: Step) => void,
  signal: AbortSignal,
): Promise<Step[]> {
  const folder = await mkdtemp(join(options.folder, 'console-drill-'))
  const { steps, step } = createSteps(report)
  const stepUnlessInterrupted: RunStep = (name, work) =>
    step(name, async () => {
      signal.throwIfAborted()
      return work()
    })
  try {
    await restoreAndCheck(folder, options, stepUnlessInterrupted, signal)
  } catch {
    // The step that failed is reported. Those after it need it.
  }
  await step('clean up', async () => {
    await stopCluster(createRun(folder), folder)
    await rm(folder, { recursive: true })
    return ok('PostgreSQL is stopped, and its folder is removed')
  }).catch(() => {})
  return steps
}

async function restoreAndCheck(
  folder: string,
  options: DrillOptions,
  step: RunStep,
  signal: AbortSignal,
): Promise<void> {
  const run = createRun(folder, signal)
  const backup = await step<Backup>('backup', async () => {
    const found = await findBackup(run, folder, options)
    const text = `${found.label} of ${timeText(found.endedAt * 1_000)}, ${mebibytes(found.bytes)}`
    const room = await findRoom(folder)
    if (room > found.bytes + SPARE_BYTES) return { ...ok(text), value: found }
    throw new Error(
      `${text}: ${options.folder} has room for ${mebibytes(room)} only. Name another one by --folder.`,
    )
  })
  await step('restore', async () => {
    await restore(run, folder, options)
    return ok('the files are there')
  })
  const url = clusterUrl(folder, options.user, options.database)
  const { client, restoredMs } = await step<Recovered>('recover', async () => {
    await startCluster(run, folder)
    const value = await readRecovered(await connectWhenRecovered(folder, url, signal), backup)
    const text = `the last change is of ${timeText(value.restoredMs)}, ${ageText(value.restoredMs)} ago`
    return { ...ok(text), value }
  })
  try {
    await step('schema', () => checkSchema(client, url))
    await step('counts', () => checkCounts(client))
    await step('revisions', () => checkRevisions(client, options.sample))
    await step('secrets', () => checkSecrets(client, options))
    await step('audit log', () => checkAudit(client, options, restoredMs))
  } finally {
    await client.end()
  }
}

/** For WAL while the archive is read. */
const SPARE_BYTES = 1024 ** 3

async function findRoom(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

interface Recovered {
  client: Client
  /** The time of the last change, in milliseconds since 1970. */
  restoredMs: number
}

async function readRecovered(client: Client, { endedAt }: Backup): Promise<Recovered> {
  const { rows } = await client.query<{ at: Date | null }>('SELECT pg_last_xact_replay_timestamp() AS at')
  // It is null if the archive has no change after the backup.
  return { client, restoredMs: rows[0]?.at?.getTime() ?? endedAt * 1_000 }
}

async function checkSecrets(client: Client, { secretsKeys }: DrillOptions): Promise<Result> {
  if (secretsKeys.length === 0) return skipped('needs SECRETS_KEYS')
  const [result] = await checkStoredSecrets(client, { config: { secretsKeys } }, null)
  return result ?? problem('Secrets were not checked.', 'Run it again.')
}

const timeText = (ms: number) => new Date(ms).toISOString()
const ageText = (ms: number) => `${Math.round((Date.now() - ms) / 1_000)} s`
const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
