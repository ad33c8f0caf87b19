import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePort } from '../../dev/free-port.ts'
import { unprivileged } from '../../dev/postgres-programs.ts'
import { isListening } from './is-listening.ts'
import { until } from './until.ts'

/** Debian installs it outside the PATH of users. */
const PROGRAM = existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : 'pgbouncer'

export interface PgBouncer {
  /** The same database, through PgBouncer. */
  url: string
  remove: () => Promise<void>
}

/** PgBouncer in transaction mode in front of a database, with the settings that docs/operating.md names, and others. */
export async function startPgBouncer(databaseUrl: string, settings: string[] = []): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'console-pgbouncer-'))
  const as = unprivileged(folder)
  const target = new URL(databaseUrl)
  const start = async (port: number) => {
    await writeFile(join(folder, 'users'), `"${target.username}" ""`)
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=${target.hostname} port=${target.port || 5432}`,
        '[pgbouncer]',
        ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
        ...['auth_type = trust', `auth_file = ${join(folder, 'users')}`],
        ...['pool_mode = transaction', 'default_pool_size = 4'],
        'ignore_startup_parameters = statement_timeout,options',
        ...settings,
      ].join('\n'),
    )
    const words = [...as, PROGRAM, '-q', join(folder, 'pgbouncer.ini')]
    const child = spawn(words[0] ?? '', words.slice(1), { stdio: 'ignore' })
    const ended = once(child, 'exit')
    let hasEnded = false
    void ended.then(
      () => (hasEnded = true),
      () => (hasEnded = true),
    )
    await until('PgBouncer listens', async () => hasEnded || (await isListening(port)))
    if (hasEnded) {
      await ended
      throw Object.assign(new Error('PgBouncer ended: its port may be taken'), { code: 'EADDRINUSE' })
    }
    stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
  }
  let stop = async () => {}
  try {
    const port = await onFreePort(start)
    target.host = `127.0.0.1:${port}`
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  return {
    url: target.toString(),
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}
