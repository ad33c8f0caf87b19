import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onFreePort } from '../../dev/free-port.ts'
import { findBinaries, unprivileged } from '../../dev/postgres-programs.ts'

const run = promisify(execFile)

/** A separate PostgreSQL server, for development and for tests that stop or kill it. */
export interface PrivatePostgres {
  url: string
  /** The folder of its programs. */
  bin: string
  /** Contains its data and its log. */
  folder: string
  start: () => Promise<void>
  /** `immediate` is like a crash: no checkpoint. */
  stop: (mode?: 'fast' | 'immediate') => Promise<void>
  /** Makes a standby a primary. */
  promote: () => Promise<void>
  remove: () => Promise<void>
}

export interface PrivatePostgresOptions {
  /** Starts a streaming standby of this server. */
  standbyOf?: PrivatePostgres
  /** Fills the folder of the data, for example from a backup. Otherwise it has an empty database. */
  fill?: (data: string) => Promise<unknown>
  /** Gets the folder of the server. */
  parent?: string
  /** `name=value` */
  settings?: string[]
}

export async function startPrivatePostgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
  const { standbyOf, fill, parent = tmpdir(), settings = [] } = options
  const bin = findBinaries()
  if (bin === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = await mkdtemp(join(parent, 'console-postgres-'))
  const data = join(folder, 'data')
  const as = unprivileged(folder)
  const asPostgres = (...args: string[]) => {
    const [command = '', ...rest] = [...as, ...args]
    return run(command, rest)
  }
  if (standbyOf) await asPostgres(`${bin}/pg_basebackup`, '-D', data, '-d', standbyOf.url, '-R', '-c', 'fast')
  else if (fill) {
    await asPostgres('mkdir', '--mode=700', data)
    await fill(data)
  } else
    await asPostgres(`${bin}/initdb`, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync')

  let port = 0
  const startOn = (wanted: number) => {
    const all = [
      'listen_addresses=127.0.0.1',
      `port=${wanted}`,
      `unix_socket_directories=${folder}`,
      ...settings,
    ]
    return asPostgres(
      `${bin}/pg_ctl`,
      ...['-D', data, '-w', '-s', '-l', join(folder, 'log')],
      ...['-o', all.map((setting) => `-c ${setting}`).join(' ')],
      'start',
    ).catch(() => {
      const log = readFileSync(join(folder, 'log'), 'utf8')
      throw Object.assign(new Error(log), { code: log.includes('in use') ? 'EADDRINUSE' : 'FAILED' })
    })
  }
  port = await onFreePort(startOn)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`

  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    await asPostgres(`${bin}/pg_ctl`, '-D', data, '-w', '-s', '-m', mode, 'stop')
  }
  return {
    url,
    bin,
    folder,
    start: async () => void (await startOn(port)),
    stop,
    promote: async () => void (await asPostgres(`${bin}/pg_ctl`, '-D', data, '-w', '-s', 'promote')),
    remove: async () => {
      await stop('immediate').catch(() => {})
      await rm(folder, { recursive: true })
    },
  }
}
