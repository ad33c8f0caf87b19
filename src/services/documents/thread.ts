import { Worker } from 'node:worker_threads'
import type { Request, Response } from './protocol.ts'
import { DocumentBroken } from './read.ts'

export interface Job {
  readonly request: Request
  readonly deadlineMs: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export interface Thread {
  /** Begins before there is a job. */
  warmUp: () => void
  /** To be told when there may be a job to take. */
  wake: () => void
  close: () => Promise<void>
}

export interface ThreadOptions {
  takeJob: () => Job | undefined
  /** Whether it waits for more however long there is nothing to do. */
  stays: boolean
}

/** A document that needs more than the old generation is none that anybody reads. In a young one of the usual size every
 * tree would be moved twice before it is done with, which takes a fifth of the time. */
const LIMITS = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 96 }

/** What comes at once comes in several steps. */
const IDLE_MS = 5_000

/** A worker that has one job at a time, so that it is known whose fault it is when it dies or does not come back: that job
 * fails, and a new worker takes the next. */
export function createThread({ takeJob, stays }: ThreadOptions): Thread {
  let worker: Worker | undefined
  let current: Job | undefined
  let deadline: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    ended?.removeAllListeners()
    // It may be failing at this moment, of which nobody needs to hear any more.
    ended?.on('error', () => {})
    return ended?.terminate()
  }
  const rest = () => {
    if (!stays) idle = setTimeout(() => void end(), IDLE_MS).unref()
  }
  const settle = (finish: (job: Job) => void) => {
    clearTimeout(deadline)
    const job = current
    current = undefined
    if (job) finish(job)
    wake()
    if (!current) rest()
  }
  const abandon = (reason: string) => {
    void end()
    settle(({ reject }) => reject(new DocumentBroken(reason)))
  }
  const begin = (): Worker => {
    const begun = new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: LIMITS })
    begun.on('message', (response: Response) => {
      // Whatever nobody foresaw may have left the worker in any state.
      if ('error' in response && !response.faults) void end()
      settle((job) => finish(job, response))
    })
    begun.on('error', (error) => abandon(`The work on it failed: ${error.message}`))
    begun.on('exit', () => abandon('The work on it ended before its time.'))
    // A process that has nothing else to do may end.
    begun.unref()
    return begun
  }
  const wake = () => {
    if (current) return
    current = takeJob()
    if (!current) return
    clearTimeout(idle)
    worker ??= begin()
    deadline = setTimeout(() => abandon('The work on it took too long.'), current.deadlineMs)
    worker.postMessage(current.request)
  }

  return {
    wake,
    warmUp: () => {
      worker ??= begin()
      rest()
    },
    close: async () => {
      clearTimeout(deadline)
      current?.reject(new Error('Closed'))
      await end()
    },
  }
}

function finish({ resolve, reject }: Job, response: Response): void {
  if ('result' in response) resolve(response.result)
  else reject(response.faults ? new DocumentBroken(...response.faults) : new Error(response.error))
}
