import type { Logger } from 'pino'
import { Piscina } from 'piscina'
import { withTimeout } from '../../platform/with-timeout.ts'
import type { Task, Tasks } from './tasks.ts'

export interface DocumentWorkers extends Omit<Tasks, 'warmUp'> {
  /** Resolves when the documents that are being prepared now are ready, or after two seconds. */
  prepared: () => Promise<unknown>
  /** Starts the threads before the first document is there. */
  warmUp: () => void
  close: () => Promise<void>
}

export interface DocumentWorkersOptions {
  log: Logger
  deadlinesMs?: Partial<Record<keyof Tasks, number>>
  resourceLimits?: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number }
}

const DEADLINES_MS = { warmUp: 20_000, prepare: 20_000, compare: 20_000, combine: 20_000, check: 5_000 }
/** With a young generation of the usual size every parsed document would be copied twice before it is garbage. */
const LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 96 }
const PREPARED_TIMEOUT_MS = 2_000
const MAX_QUEUE = 1_000
const IDLE_MS = 5_000

/** Threads that work on documents and sampled responses: parsing megabytes would block the event loop, and a hostile document
 * can end only its thread. Checks have a thread of their own, so that a slow one never delays a document. */
export function createDocumentWorkers(options: DocumentWorkersOptions): DocumentWorkers {
  const { log, resourceLimits = LIMITS } = options
  const deadlines = { ...DEADLINES_MS, ...options.deadlinesMs }
  const onStart = new Map<number, () => void>()
  const open: Piscina<Task>[] = []
  let lastId = 0

  /** Started on first use. One thread stays, because Piscina's queue stalls if the last thread is aborted. */
  const createPool = (maxThreads: number) => {
    let pool: Piscina<Task> | undefined
    const start = () => {
      const started = new Piscina<Task>({
        filename: new URL('./tasks.ts', import.meta.url).href,
        ...{ minThreads: 1, maxThreads, concurrentTasksPerWorker: 1 },
        ...{ idleTimeout: IDLE_MS, maxQueue: MAX_QUEUE, resourceLimits },
      })
      // A thread can fail between two tasks. Without a listener the process would end.
      started.on('error', (error: Error) => log.error({ err: error }, 'a worker thread failed'))
      started.on('message', (message: { started: number }) => onStart.get(message.started)?.())
      open.push(started)
      return started
    }
    return () => (pool ??= start())
  }
  const documents = createPool(2)
  const checks = createPool(1)

  const task =
    <Name extends keyof Tasks>(pool: () => Piscina<Task>, name: Name) =>
    async (...args: Parameters<Tasks[Name]>): Promise<Awaited<ReturnType<Tasks[Name]>>> => {
      const id = ++lastId
      const deadline = new AbortController()
      let timer: NodeJS.Timeout | undefined
      onStart.set(id, () => {
        timer = setTimeout(() => deadline.abort(), deadlines[name])
      })
      try {
        return await pool().run({ id, name, args }, { signal: deadline.signal })
      } catch (cause) {
        throw deadline.signal.aborted
          ? new Error(`It took longer than ${deadlines[name]} ms.`, { cause })
          : cause
      } finally {
        onStart.delete(id)
        clearTimeout(timer)
      }
    }

  const warmUp = task(documents, 'warmUp')
  const prepare = task(documents, 'prepare')
  const preparing = new Set<Promise<unknown>>()
  return {
    prepare: (...args) => {
      const preparation = prepare(...args).finally(() => preparing.delete(preparation))
      preparing.add(preparation)
      return preparation
    },
    prepared: () => withTimeout(PREPARED_TIMEOUT_MS, Promise.allSettled(preparing), undefined),
    compare: task(documents, 'compare'),
    combine: task(documents, 'combine'),
    check: task(checks, 'check'),
    // Errors are ignored here; the first document would fail in the same way.
    warmUp: () => void Promise.allSettled([warmUp(), warmUp()]),
    close: async () => void (await Promise.all(open.map((pool) => pool.destroy()))),
  }
}
