import { join } from 'node:path'
import type { Run } from './command.ts'
import type { DrillOptions } from './options.ts'

export interface Backup {
  label: string
  /** In seconds since 1970. */
  endedAt: number
  /** Of the database, as it is restored. */
  bytes: number
}

interface Stanza {
  status: { message: string }
  repo: { status: { message: string } }[]
  backup: { label: string; timestamp: { stop: number }; info: { size: number } }[]
}

type Source = Pick<DrillOptions, 'stanza' | 'config' | 'time'>

/** The newest backup that pgBackRest lists. */
export async function findBackup(run: Run, folder: string, source: Source): Promise<Backup> {
  const text = await run(...pgBackRest(folder, source), '--output=json', 'info')
  const [stanza] = JSON.parse(text) as Stanza[]
  const newest = stanza?.backup.at(-1)
  if (!newest) {
    const causes = [stanza?.status.message, ...(stanza?.repo ?? []).map(({ status }) => status.message)]
    throw new Error(`There is no backup: ${[...new Set(causes)].join(', ')}`)
  }
  return { label: newest.label, endedAt: newest.timestamp.stop, bytes: newest.info.size }
}

/** Copies the backup into `data`, and leaves there how the rest comes from the archive. The restored cluster does not archive:
 * its WAL must not get into the repository. Tablespaces come into the folder too, and not to their own places. */
export async function restore(run: Run, folder: string, source: Source): Promise<void> {
  const data = join(folder, 'data')
  await run('mkdir', '--mode=700', data)
  await run(
    ...pgBackRest(folder, source),
    `--pg1-path=${data}`,
    `--tablespace-map-all=${join(folder, 'tablespaces')}`,
    '--archive-mode=off',
    ...(source.time === undefined
      ? []
      : ['--type=time', `--target=${source.time}`, '--target-action=promote']),
    'restore',
  )
}

/** With its locks and its log apart from those of production. */
function pgBackRest(folder: string, { stanza, config }: Source): [string, ...string[]] {
  return [
    'pgbackrest',
    `--stanza=${stanza}`,
    ...(config === undefined ? [] : [`--config=${config}`]),
    `--lock-path=${join(folder, 'lock')}`,
    '--log-level-file=off',
    '--log-level-console=warn',
  ]
}
