import type { DeclaredOperation } from '../../src/features/services/document/document.ts'
import type { MountedService } from '../../src/features/services/mount/forward.ts'
import { createMountedTable, type MountedTable } from '../../src/features/services/mount/table.ts'
import { ServiceTokens } from '../../src/features/services/tokens.ts'
import { createUpstream } from '../../src/platform/upstream/upstream.ts'
import { type Behind, startBehind } from './behind.ts'
import { closeAfter } from './close-after.ts'
import { type ConsoleOptions, startConsole, type TestConsole } from './console.ts'

export interface Mounted {
  running: TestConsole
  /** The services, by name. */
  behind: Record<string, Behind>
  mount: (operations: DeclaredOperation[]) => Promise<void>
  upstream: (service: string) => MountedService['upstream']
  close: () => Promise<void>
}

export interface MountedOptions extends Pick<ConsoleOptions, 'overrides' | 'environment'> {
  services?: string[]
  operations: DeclaredOperation[]
  /** In front of every path of the services' own. */
  basePath?: string
  deadlineMs?: number
  maxInFlight?: number
  maxRequestBytes?: number
  maxResponseBytes?: number
  readPermission?: string
  writePermission?: string
  budgetPriority?: MountedService['budgetPriority']
}

/** `GET /v1/things/{id}` of `things`, unless told otherwise. */
export function operation(declared: Partial<DeclaredOperation> = {}): DeclaredOperation {
  return {
    service: 'things',
    method: 'GET',
    path: '/v1/things/{id}',
    operationId: 'thing',
    requestHeaders: [],
    responseHeaders: [],
    redirects: false,
    ...declared,
  }
}

/** A console with mounted services for the tests of the calling suite: closed after the last of them. */
export async function useMounted(options: MountedOptions): Promise<Mounted> {
  const mounted = await startMounted(options)
  closeAfter(() => mounted.close())
  return mounted
}

/** A console with mounted services that misbehave as a test likes. */
export async function startMounted(options: MountedOptions): Promise<Mounted> {
  const names = options.services ?? ['things']
  const behind = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await startBehind()] as const)),
  )
  let table: MountedTable = await createMountedTable(options.operations)
  const services = new Map<string, MountedService>()
  const running = await startConsole({
    ...(options.overrides ? { overrides: options.overrides } : {}),
    ...(options.environment ? { environment: options.environment } : {}),
    mount: ({ metrics }) => {
      for (const [name, { url: origin }] of Object.entries(behind)) {
        const url = origin + (options.basePath ?? '')
        const { deadlineMs = 10_000, maxInFlight = 256 } = options
        const { maxResponseBytes = Number.POSITIVE_INFINITY } = options
        services.set(name, {
          url,
          upstream: createUpstream({ name, url, deadlineMs, maxResponseBytes, maxInFlight, metrics }),
          tokens: new ServiceTokens(Date.now),
          readPermission: options.readPermission,
          writePermission: options.writePermission,
          budgetPriority: options.budgetPriority ?? 'interactive',
          maxRequestBytes: options.maxRequestBytes ?? Number.POSITIVE_INFINITY,
        })
      }
      return { table: () => table, services }
    },
  })
  return {
    running,
    behind,
    mount: async (operations) => {
      table = await createMountedTable(operations)
    },
    upstream: (name) => (services.get(name) as MountedService).upstream,
    close: async () => {
      await running.close()
      await Promise.all([...services.values()].map(({ upstream }) => upstream.close()))
      await Promise.all(Object.values(behind).map(({ stop }) => stop()))
    },
  }
}
