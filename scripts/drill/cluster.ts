import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findBinaries } from '../../dev/private-postgres.ts'
import type { Run } from './command.ts'

/** Part of the name of the socket. */
const PORT = 5432

/** On the command line, because the cluster may have other values in postgresql.auto.conf. Nothing must leave the folder:
 * no WAL, no connection to a primary, no extension that runs jobs. Without hot_standby it needs no larger limits than these,
 * whatever the limits of the original are. */
const SETTINGS = {
  listen_addresses: '',
  archive_mode: 'off',
  archive_command: '',
  archive_cleanup_command: '',
  recovery_end_command: '',
  primary_conninfo: '',
  primary_slot_name: '',
  synchronous_standby_names: '',
  shared_preload_libraries: '',
  session_preload_libraries: '',
  external_pid_file: '',
  hot_standby: 'off',
  ssl: 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
  autovacuum: 'off',
  max_connections: '20',
  shared_buffers: '256MB',
  huge_pages: 'off',
}

/** Starts PostgreSQL on the folder `data`. Debian has the configuration outside of the data: an empty one is used. */
export async function startCluster(run: Run, folder: string): Promise<void> {
  const files = { config_file: '', hba_file: 'local all all trust\n', ident_file: '' }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text)
    await chmod(join(folder, name), 0o644)
  }
  const settings = {
    ...Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)])),
    ...{ port: PORT, unix_socket_directories: folder },
    ...SETTINGS,
  }
  const words = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
  await control(run, folder, '-l', join(folder, 'log'), '-o', words.join(' '), 'start').catch(
    async (error: Error) => Promise.reject(await explain(folder, error)),
  )
}

/** SQLSTATE while PostgreSQL reads the archive. */
const CANNOT_CONNECT_NOW = '57P03'
const PAUSE_MS = 200

/** Waits until PostgreSQL has read the archive, which can take hours, and accepts writes. */
export async function connectWhenRecovered(
  folder: string,
  url: string,
  signal: AbortSignal,
): Promise<Client> {
  for (;;) {
    const client = new Client({ connectionString: url, application_name: 'agent-console drill' })
    client.on('error', () => {})
    const error = await client.connect().then(
      () => undefined,
      (reason: Error & { code?: string }) => reason,
    )
    if (!error) return client
    await client.end().catch(() => {})
    const isRunning = existsSync(join(folder, 'data/postmaster.pid'))
    if (error.code !== CANNOT_CONNECT_NOW || !isRunning) throw await explain(folder, error)
    await sleep(PAUSE_MS, undefined, { signal })
  }
}

/** The last fatal error in the log says more than what a client gets. */
async function explain(folder: string, error: Error): Promise<Error> {
  const text = await readFile(join(folder, 'log'), 'utf8').catch(() => '')
  const fatal = text
    .split('\n')
    .findLast((line) => /FATAL|PANIC/.test(line) && !line.includes('not accepting connections'))
  return new Error(fatal ?? error.message, { cause: error })
}

/** Also after a start that was interrupted. */
export async function stopCluster(run: Run, folder: string): Promise<void> {
  if (existsSync(join(folder, 'data/postmaster.pid'))) await control(run, folder, '-m', 'immediate', 'stop')
}

/** Only a socket in the folder leads to the cluster. */
export const clusterUrl = (folder: string, user: string, database: string) =>
  `postgres://${encodeURIComponent(user)}@localhost:${PORT}/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}`

async function control(run: Run, folder: string, ...args: string[]): Promise<void> {
  const data = join(folder, 'data')
  const bin = await findProgramsFor((await readFile(join(data, 'PG_VERSION'), 'utf8')).trim())
  await run(join(bin, 'pg_ctl'), '-D', data, '-s', '-w', ...args)
}

/** A cluster starts only with the version that made it. */
async function findProgramsFor(version: string): Promise<string> {
  const debian = `/usr/lib/postgresql/${version}/bin`
  const bin = existsSync(debian) ? debian : await findBinaries()
  if (bin === undefined) throw new Error(`PostgreSQL ${version} is not installed.`)
  return bin
}
