import { once } from 'node:events'
import type { Core } from '../../src/core.ts'
import type { DeclaredOperation } from '../../src/features/services/document/document.ts'
import { createMountedTable } from '../../src/features/services/mount/table.ts'
import { createServiceTokens, type ServiceTokens } from '../../src/features/services/tokens.ts'
import { createUpstream } from '../../src/platform/upstream/upstream.ts'
import { startConsole } from './console.ts'
import { service } from './service-documents.ts'
import { CONSOLE_NAME, signingEnvironment } from './signing.ts'

/** A console with these services mounted. */

export interface Mounts {
  /** Their URLs, by name. */
  services: Record<string, string>
  operations: DeclaredOperation[]
  /** What a service gets as a token, by name: the caller's own when absent. `sign` signs an assertion for each call. */
  tokens?: Record<string, 'assert' | 'sign'>
}

export interface StartedConsole {
  url: string
  token: string
}

/** `rss` answers the most memory held since it was last asked, `cpu` the microseconds of processor taken so far; operations are
 * mounted, and answered by how long that took. */
export type Command = 'rss' | 'cpu' | { operations: DeclaredOperation[] }

const SAMPLE_MS = 10

const [{ services, operations, tokens = {} }] = (await once(process, 'message')) as [Mounts]
let table = await createMountedTable(operations)
/** As in production, but for `sign`, whose clock runs so fast that nothing stays in the cache. */
const tokensOf = (name: string, core: Core): ServiceTokens => {
  const how = tokens[name] ?? 'pass'
  let ms = Date.now()
  const now = how === 'sign' ? () => (ms += 60_000) : core.now
  const config = { ...core.config, publicUrl: CONSOLE_NAME }
  const token = how === 'pass' ? 'pass' : 'assert'
  return createServiceTokens({ ...core, now, config }, service({ name, token, audience: name }), undefined)
}

const running = await startConsole({
  environment: signingEnvironment(),
  mount: (core) => ({
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
          metrics: core.metrics,
        })
        return [
          name,
          {
            ...{ url, upstream, maxRequestBytes: Number.POSITIVE_INFINITY },
            ...{ readPermission: undefined, writePermission: undefined, budgetPriority: 'interactive' },
            tokens: tokensOf(name, core),
          },
        ]
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
