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

export class Publisher {
  readonly #services: readonly Service[]
  readonly #workers: Pick<DocumentWorkers, 'combine'>
  readonly #inUse = new Map<string, PreparedDocument>()
  #waiting = new Map<string, PreparedDocument>()
  #own = ''
  #current: Publication | undefined
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(services: readonly Service[], workers: Pick<DocumentWorkers, 'combine'>) {
    this.#services = services
    this.#workers = workers
  }

  get current(): Publication {
    if (!this.#current) throw new Error('Nothing is published before the start')
    return this.#current
  }

  /** Sets the console's own document. Called once, before anything is published. */
  async begin(own: string): Promise<void> {
    this.#own = own
    this.#current = { table: await this.#createTable([]), document: toServed(own) }
  }

  /** Puts a document in use. On failure everything stays as it is. One run at a time: documents that arrive before the
   * next one begins share it. */
  publish(document: PreparedDocument): Promise<void> {
    const run = () => this.#run()
    this.#waiting.set(document.service, document)
    this.#next ??= this.#last = this.#last.then(run, run)
    return this.#next
  }

  async #run(): Promise<void> {
    this.#next = undefined
    const added = this.#waiting
    this.#waiting = new Map()
    const documents = this.#services.flatMap(({ name }) => added.get(name) ?? this.#inUse.get(name) ?? [])
    const [document, table] = await Promise.all([
      this.#workers.combine(this.#own, documents),
      this.#createTable(documents),
    ])
    for (const [name, one] of added) this.#inUse.set(name, one)
    this.#current = { table, document }
  }

  #createTable(documents: readonly PreparedDocument[]): Promise<MountedTable> {
    const isPublished = ({ name }: Service) => documents.some(({ service }) => service === name)
    const pending = this.#services
      .filter((service) => !isPublished(service))
      .flatMap(({ prefixes }) => prefixes)
    const operations = documents.flatMap((document) => document.operations)
    return createMountedTable(operations, pending)
  }
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

/** Threads that work on documents: parsing megabytes would block the event loop, and a hostile document can end only
 * its thread. */
export class DocumentWorkers {
  readonly #options: Required<DocumentWorkersOptions>
  readonly #onStart = new Map<number, () => void>()
  #pool: Piscina<Task> | undefined
  #lastId = 0

  constructor(options: DocumentWorkersOptions) {
    this.#options = { deadlineMs: DEADLINE_MS, resourceLimits: LIMITS, ...options }
  }

  prepare(...args: Parameters<Tasks['prepare']>): Promise<ReturnType<Tasks['prepare']>> {
    return this.#run('prepare', args)
  }

  combine(...args: Parameters<Tasks['combine']>): Promise<ReturnType<Tasks['combine']>> {
    return this.#run('combine', args)
  }

  /** Starts the first thread before the first document is there. */
  warmUp(): void {
    this.#pool ??= this.#startPool()
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  #startPool(): Piscina<Task> {
    const { log, resourceLimits } = this.#options
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
    started.on('message', (message: { started: number }) => this.#onStart.get(message.started)?.())
    return started
  }

  async #run<Result>(name: keyof Tasks, args: readonly unknown[]): Promise<Result> {
    const { deadlineMs } = this.#options
    const id = ++this.#lastId
    const deadline = new AbortController()
    let timer: NodeJS.Timeout | undefined
    this.#onStart.set(id, () => {
      timer = setTimeout(() => deadline.abort(), deadlineMs)
    })
    this.#pool ??= this.#startPool()
    try {
      return await this.#pool.run({ id, name, args }, { signal: deadline.signal })
    } catch (cause) {
      throw deadline.signal.aborted ? new Error(`It took longer than ${deadlineMs} ms.`, { cause }) : cause
    } finally {
      this.#onStart.delete(id)
      clearTimeout(timer)
    }
  }
}
