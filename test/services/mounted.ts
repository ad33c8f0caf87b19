import { createUpstream } from '../../src/platform/upstream/upstream.ts'
import type { MountedService } from '../../src/services/mount/forward.ts'
import type { MountOptions } from '../../src/services/mount/routes.ts'
import { createMountedTable } from '../../src/services/mount/table.ts'
import type { DeclaredOperation } from '../../src/services/operation.ts'
import { type ConsoleOptions, startConsole, type TestConsole } from '../support/console.ts'
import { type Behind, startBehind } from './behind.ts'

export interface Mounted {
  running: TestConsole
  /** The services, by name. */
  behind: Record<string, Behind>
  mount: (operations: DeclaredOperation[]) => void
  upstream: (service: string) => MountedService['upstream']
  close: () => Promise<void>
}

export interface MountedOptions extends Pick<ConsoleOptions, 'overrides'> {
  services?: string[]
  operations: DeclaredOperation[]
  /** In front of every path of the services' own. */
  basePath?: string
  deadlineMs?: number
  maxRequestBytes?: number
  maxAnswerBytes?: number
  sampleRatio?: number
  observeAnswer?: MountOptions['observeAnswer']
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

/** A console with services mounted that misbehave as a test likes. */
export async function startMounted(options: MountedOptions): Promise<Mounted> {
  const names = options.services ?? ['things']
  const behind = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await startBehind()] as const)),
  )
  const mounted = { current: createMountedTable(options.operations) }
  const services = new Map<string, MountedService>()
  const running = await startConsole({
    ...(options.overrides ? { overrides: options.overrides } : {}),
    mount: ({ metrics }) => {
      for (const [name, { url: origin }] of Object.entries(behind)) {
        const url = origin + (options.basePath ?? '')
        const { deadlineMs = 1_000, maxAnswerBytes: maxResponseBytes = Number.POSITIVE_INFINITY } = options
        services.set(name, {
          url,
          upstream: createUpstream({ name, url, deadlineMs, maxResponseBytes, metrics }),
          maxRequestBytes: options.maxRequestBytes ?? Number.POSITIVE_INFINITY,
          sampleRatio: options.sampleRatio ?? 0,
        })
      }
      const { observeAnswer } = options
      return { mounted, services, ...(observeAnswer ? { observeAnswer } : {}) }
    },
  })
  return {
    running,
    behind,
    mount: (operations) => {
      mounted.current = createMountedTable(operations)
    },
    upstream: (name) => (services.get(name) as MountedService).upstream,
    close: async () => {
      await running.close()
      await Promise.all([...services.values()].map(({ upstream }) => upstream.close()))
      await Promise.all(Object.values(behind).map(({ stop }) => stop()))
    },
  }
}
