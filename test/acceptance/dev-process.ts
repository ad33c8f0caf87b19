import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PORT_NAMES, type PortName } from '../../dev/run/ports.ts'
import { createTestNats } from '../support/nats.ts'
import { type Process, startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

const ROOT = join(import.meta.dirname, '../..')

/** `npm run dev` in a folder, on ports and on a database of its own. */
export interface DevPlace {
  environment: Record<string, string>
  ports: Record<PortName, number>
  folder: string
  /** What it keeps. */
  file: (name: string) => string
  start: (environment?: Record<string, string>, ...options: string[]) => Process
  /** What is left of it: processes, taken ports, temporary files. */
  leftovers: () => Promise<string[]>
  /** Waits until nothing is left. */
  isGone: () => Promise<void>
  remove: () => Promise<void>
}

/** Its database does not exist yet. */
export async function createDevPlace(): Promise<DevPlace> {
  const nats = await createTestNats()
  const own = mkdtempSync(join(tmpdir(), 'console-dev-'))
  const [folder, temporary] = [join(own, 'kept'), join(own, 'tmp')]
  await mkdir(temporary)
  // PostgreSQL runs as another user where this is root.
  await chmod(own, 0o755)
  const database = `console_test_dev_${own.slice(-6).toLowerCase()}`
  const ports = await freePortBlock()
  const environment = {
    ...nats.environment,
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
    ...{ PGHOST: '127.0.0.1', PGUSER: 'postgres', PGDATABASE: database },
    ...{ DEV_FOLDER: folder, TMPDIR: temporary },
  }
  const leftovers = async () => [
    ...processesOf(own),
    ...(await takenPorts(ports)),
    ...readdirSync(temporary).map((name) => `the temporary ${name}`),
  ]
  return {
    environment,
    folder,
    ports,
    file: (name) => join(folder, name),
    start: (more = {}, ...options) => startProcess('dev/main.js', { ...environment, ...more }, ...options),
    leftovers,
    isGone: async () => {
      let left: string[] = []
      await until('nothing is left', async () => (left = await leftovers()).length === 0, 30_000).catch(
        () => {
          throw new Error(`There is still ${left.join(', ')}`)
        },
      )
    },
    remove: async () => {
      await nats.remove()
      await promisify(execFile)('psql', [
        '-h',
        '127.0.0.1',
        '-U',
        'postgres',
        '-qc',
        `DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`,
      ])
      await rm(own, { recursive: true, force: true })
    },
  }
}

export async function isReady(process: Process): Promise<void> {
  await until(
    'npm run dev is ready',
    () => process.child.exitCode !== null || process.output().includes('--reset starts afresh'),
    90_000,
  )
  if (process.child.exitCode !== null) throw new Error(`It ended: ${process.output()}`)
}

/** The commands that it has printed: what sets up the shell, and what is to be tried. */
export function commandsOf(process: Process): { setUp: string; tries: string[] } {
  const lines = [...process.output().matchAll(/^ {2}((?:export|api).+)$/gm)].map(([, line = '']) => line)
  const isSetUp = (line: string) => line.startsWith('export') || line.startsWith('api()')
  return {
    setUp: lines.filter(isSetUp).join('\n'),
    tries: lines.filter((line) => !isSetUp(line)),
  }
}

/** As a user would, in the folder of the project. */
export async function runInShell(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: ROOT })
  return stdout
}

/** The processes that name a folder in their command or in their environment. Linux alone shows both. */
function processesOf(folder: string): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return ids.flatMap((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8')
      const isOurs = [command, readFileSync(`/proc/${id}/environ`, 'utf8')].some((text) =>
        text.includes(folder),
      )
      return isOurs && command !== '' ? [`process ${id}: ${command.replaceAll('\0', ' ')}`] : []
    } catch {
      return []
    }
  })
}

/** Below the ports of the other tests: here they must stay free while the processes are started and ended. */
async function freePortBlock(): Promise<Record<PortName, number>> {
  for (;;) {
    const first = randomInt(10_000, 19_000)
    const entries = PORT_NAMES.map((name, index) => [name, first + index] as const)
    const ports = Object.fromEntries(entries) as Record<PortName, number>
    if ((await takenPorts(ports)).length === 0) return ports
  }
}

async function takenPorts(ports: Record<string, number>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => {
      const server = createServer().listen(port, '127.0.0.1')
      try {
        await once(server, 'listening')
        server.close()
        await once(server, 'close')
        return []
      } catch {
        return [`port ${port} (${name})`]
      }
    }),
  )
  return found.flat()
}
