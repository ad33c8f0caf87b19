import type { Logger } from 'pino'
import { Piscina } from 'piscina'
import type { Service } from '../../../config/services-file.ts'
import { type ServedDocument, toServed } from '../document/combine.ts'
import type { PreparedDocument } from '../document/document.ts'
import { createMountedTable, type MountedTable } from '../mount/table.ts'
import type { Task, Tasks } from './worker.ts'

/** The routing table and the combined document that are currently in use. Both are replaced in one step. */
export interface Publication {
  readonly table: MountedTable
  readonly document: ServedDocument
}

export interface Publisher {
  current: () => Publication
  /** Sets the console's own document. Called once, before anything is published. */
  begin: (own: string) => Promise<void>
  /** Puts a document in use. On failure everything stays as it is. */
  publish: (document: PreparedDocument) => Promise<void>
}

export interface PublisherOptions {
  services: readonly Service[]
  workers: Pick<DocumentWorkers, 'combine'>
}

export function createPublisher({ services, workers }: PublisherOptions): Publisher {
  const inUse = new Map<string, PreparedDocument>()
  let waiting = new Map<string, PreparedDocument>()
  let own = ''
  let current: Publication | undefined

  const build = (documents: readonly PreparedDocument[]): Promise<MountedTable> => {
    const isPublished = ({ name }: Service) => documents.some(({ service }) => service === name)
    const pending = services.filter((service) => !isPublished(service)).flatMap(({ prefixes }) => prefixes)
    const operations = documents.flatMap((document) => document.operations)
    return createMountedTable(operations, pending)
  }
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** One run at a time. Documents that arrive before it begins share a run. */
  const run = async () => {
    next = undefined
    const added = waiting
    waiting = new Map()
    const documents = services.flatMap(({ name }) => added.get(name) ?? inUse.get(name) ?? [])
    const [document, table] = await Promise.all([workers.combine(own, documents), build(documents)])
    for (const [name, one] of added) inUse.set(name, one)
    current = { table, document }
  }
  return {
    current: () => {
      if (!current) throw new Error('Nothing is published before the start')
      return current
    },
    begin: async (text) => {
      own = text
      current = { table: await build([]), document: toServed(text) }
    },
    publish: (document) => {
      waiting.set(document.service, document)
      next ??= last = last.then(run, run)
      return next
    },
  }
}

type Run<Name extends keyof Tasks> = (...args: Parameters<Tasks[Name]>) => Promise<ReturnType<Tasks[Name]>>

export interface DocumentWorkers {
  prepare: Run<'prepare'>
  combine: Run<'combine'>
  /** Starts the first thread before the first document is there. */
  warmUp: () => void
  close: () => Promise<void>
}

export interface DocumentWorkersOptions {
  log: Logger
  deadlineMs?: number
  resourceLimits?: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number }
}

const DEADLINE_MS = 20_000
/** With a young generation of the usual size every parsed document would be copied twice before it is garbage. */
const LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 96 }
const MAX_QUEUE = 1_000
const IDLE_MS = 5_000

/** Threads that work on documents: parsing megabytes would block the event loop, and a hostile document can end only its
 * thread. */
export function createDocumentWorkers(options: DocumentWorkersOptions): DocumentWorkers {
  const { log, deadlineMs = DEADLINE_MS, resourceLimits = LIMITS } = options
  const onStart = new Map<number, () => void>()
  let pool: Piscina<Task> | undefined
  let lastId = 0

  const startPool = (): Piscina<Task> => {
    const started = new Piscina<Task>({
      filename: new URL('./worker.ts', import.meta.url).href,
      // One thread stays, because Piscina's queue stalls if the last thread is aborted.
      minThreads: 1,
      maxThreads: 2,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE_MS,
      maxQueue: MAX_QUEUE,
      resourceLimits,
    })
    // A thread can fail between two tasks. Without a listener the process would end.
    started.on('error', (error: Error) => log.error({ err: error }, 'a worker thread failed'))
    started.on('message', (message: { started: number }) => onStart.get(message.started)?.())
    return started
  }

  const task =
    <Name extends keyof Tasks>(name: Name): Run<Name> =>
    async (...args) => {
      const id = ++lastId
      const deadline = new AbortController()
      let timer: NodeJS.Timeout | undefined
      onStart.set(id, () => {
        timer = setTimeout(() => deadline.abort(), deadlineMs)
      })
      pool ??= startPool()
      try {
        return await pool.run({ id, name, args }, { signal: deadline.signal })
      } catch (cause) {
        throw deadline.signal.aborted ? new Error(`It took longer than ${deadlineMs} ms.`, { cause }) : cause
      } finally {
        onStart.delete(id)
        clearTimeout(timer)
      }
    }

  return {
    prepare: task('prepare'),
    combine: task('combine'),
    warmUp: () => {
      pool ??= startPool()
    },
    close: async () => pool?.destroy(),
  }
}
