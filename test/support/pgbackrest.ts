import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unprivileged } from '../../dev/postgres-programs.ts'
import { openDatabase } from './database.ts'
import type { PrivatePostgres } from './private-postgres.ts'
import { until } from './until.ts'

/** An encrypted repository of pgBackRest, as docs/backup.md configures it. */
export interface Repository {
  /** Lets a server archive here. It must run with `archive_mode=on`. */
  attach: (postgres: PrivatePostgres) => Promise<Archive>
  remove: () => Promise<void>
}

/** The repository, as one server uses it. */
export interface Archive {
  backUp: (type: 'full' | 'incr') => Promise<unknown>
  /** Waits until all changes so far are archived. */
  archived: () => Promise<void>
  /** Fills a folder; a time such as `2026-11-15 15:59:50.123+00`. */
  restoreTo: (data: string, time: string) => Promise<unknown>
}

const STANZA = 'console'
const run = promisify(execFile)

export async function createRepository(): Promise<Repository> {
  const folder = await mkdtemp(join(tmpdir(), 'console-pgbackrest-'))
  const as = unprivileged(folder)
  const passphrase = randomBytes(48).toString('base64')
  let count = 0
  return {
    attach: async (postgres) => {
      const config = join(folder, `server-${++count}.conf`)
      await writeFile(config, describe(folder, passphrase, postgres), { mode: 0o644 })
      const pgBackRest = (...args: string[]) => {
        const options = [`--config=${config}`, `--stanza=${STANZA}`, '--log-level-console=warn']
        const [program = '', ...words] = [...as, 'pgbackrest', ...options, ...args]
        return run(program, words, { cwd: folder })
      }
      if (count === 1) await pgBackRest('stanza-create')
      const database = openDatabase(postgres.url)
      try {
        await database.query(
          `ALTER SYSTEM SET archive_command = 'pgbackrest --config=${config} --stanza=${STANZA} archive-push %p'`,
        )
        await database.query('SELECT pg_reload_conf()')
      } finally {
        await database.drop()
      }
      return {
        backUp: (type) => pgBackRest(`--type=${type}`, 'backup'),
        archived: () => archived(postgres),
        restoreTo: (data, time) =>
          pgBackRest(
            `--pg1-path=${data}`,
            ...['--type=time', `--target=${time}`, '--target-action=promote', 'restore'],
          ),
      }
    },
    remove: () => rm(folder, { recursive: true }),
  }
}

function describe(folder: string, passphrase: string, { url, folder: server }: PrivatePostgres): string {
  return [
    '[global]',
    `repo1-path=${join(folder, 'repository')}`,
    'repo1-retention-full=2',
    'repo1-cipher-type=aes-256-cbc',
    `repo1-cipher-pass=${passphrase}`,
    'compress-type=zst',
    'start-fast=y',
    `lock-path=${join(folder, 'lock')}`,
    'log-level-file=off',
    `[${STANZA}]`,
    `pg1-path=${join(server, 'data')}`,
    `pg1-port=${new URL(url).port}`,
    `pg1-socket-path=${server}`,
    'pg1-user=postgres',
    '',
  ].join('\n')
}

/** Waits until all changes so far are archived. */
export async function archived({ url }: PrivatePostgres): Promise<void> {
  const database = openDatabase(url)
  try {
    const [last] = await database.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file')
    await until(`${last?.file} is archived`, async () => {
      const [row] = await database.query<{ file: string | null }>(
        'SELECT last_archived_wal AS file FROM pg_stat_archiver',
      )
      return (row?.file ?? '') >= (last?.file ?? '')
    })
  } finally {
    await database.drop()
  }
}
