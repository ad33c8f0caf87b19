import { once } from 'node:events'
import { createUpstream } from '../../src/platform/upstream/upstream.ts'
import type { DeclaredOperation } from '../../src/services/document/prepared.ts'
import { createMountedTable } from '../../src/services/mount/table.ts'
import { startConsole } from '../support/console.ts'

/** A console with these services mounted. */

export interface Mounts {
  /** Their URLs, by name. */
  services: Record<string, string>
  operations: DeclaredOperation[]
}

export interface StartedConsole {
  url: string
  token: string
}

/** `rss` answers the most memory held since it was last asked, `cpu` the microseconds of processor taken so far; operations are
 * mounted, and answered by how long that took. */
export type Command = 'rss' | 'cpu' | { operations: DeclaredOperation[] }

const SAMPLE_MS = 10

const [{ services, operations }] = (await once(process, 'message')) as [Mounts]
let table = await createMountedTable(operations)
const running = await startConsole({
  mount: ({ metrics }) => ({
    table: () => table,
    services: new Map(
      Object.entries(services).map(([name, url]) => {
        const maxResponseBytes = Number.POSITIVE_INFINITY
        const upstream = createUpstream({
          name,
          url,
          deadlineMs: 5_000,
          maxResponseBytes,
          maxInFlight: 256,
          metrics,
        })
        return [name, { url, upstream, maxRequestBytes: Number.POSITIVE_INFINITY, sampleRatio: 0 }]
      }),
    ),
  }),
})

let mostBytes = 0
setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
  // Production writes them; here they would be taken for a leak.
  running.logLines.length = 0
}, SAMPLE_MS)

process.on('message', (command: Command) => void obey(command))
process.on('disconnect', () => process.exit())
const { token } = await running.person()
process.send?.({ url: running.url, token } satisfies StartedConsole)

async function obey(command: Command): Promise<void> {
  if (command === 'rss') {
    const bytes = Math.max(mostBytes, process.memoryUsage.rss())
    mostBytes = 0
    process.send?.(bytes)
    return
  }
  if (command === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
    return
  }
  const startedAt = performance.now()
  table = await createMountedTable(command.operations)
  process.send?.(performance.now() - startedAt)
}
