import { execFileSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { freePorts } from '../free-port.ts'
import { findBinaries, unprivileged } from '../postgres-programs.ts'
import { startChild } from './child.ts'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'
import type { Found, State } from './state.ts'

/** A PostgreSQL whose data are kept in the folder of `npm run dev`. */
export async function startOwnPostgres(state: State, lifetime: Lifetime): Promise<Found> {
  const bin = findBinaries()
  if (bin === undefined) throw new Error('it is not installed')
  const data = state.file('postgres')
  const as = leaveRoot(state.folder)
  const start = (name: string, ready: RegExp, ...args: string[]) => {
    const [command = '', ...rest] = [...as, ...args]
    const child = { name, command, args: rest, environment: { PATH: process.env['PATH'] }, ready }
    // After SIGTERM it would wait for its clients; after SIGKILL its own children would outlive it for a while.
    return startChild({ ...child, endSignal: 'SIGINT', hardSignal: 'SIGQUIT' }, lifetime, state.logs)
  }
  if (!existsSync(data)) {
    // Beside its place, so that an interrupted one is not taken for a database.
    const building = `${data}.new`
    rmSync(building, { recursive: true, force: true })
    const init = ['-D', building, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    const creation = start('initdb', /Success\. /, `${bin}/initdb`, ...init)
    await creation.ready
    await creation.ended
    lifetime.check()
    renameSync(building, data)
  }
  const [port] = await freePorts(1)
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=']
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  await start('postgres', /ready to accept connections/, `${bin}/postgres`, ...args).ready
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return { url, where: `its own server on 127.0.0.1:${port}, in ${relative(process.cwd(), data)}` }
}

/** The command that leaves root, for a folder that the other user may enter. */
function leaveRoot(folder: string): string[] {
  try {
    const as = unprivileged(folder)
    const [command, ...args] = as
    if (command) execFileSync(command, [...args, 'test', '-w', folder], { stdio: 'ignore' })
    return as
  } catch {
    throw new DevError(`PostgreSQL does not run as root, and the user postgres may not write to ${folder}.`)
  }
}
