import type { TaskName, Tasks } from './protocol.ts'
import { createThread, type Job } from './thread.ts'

export interface Documents extends Tasks {
  /** To be called where there will soon be work. */
  warmUp: () => void
  close: () => Promise<void>
}

export interface DocumentsOptions {
  /** By task, how long it may take. */
  deadlinesMs?: Partial<Record<TaskName, number>>
}

/** Whatever takes longer is not worth waiting for, and may never end: a pattern can be made to. */
const DEADLINES_MS: Record<TaskName, number> = {
  outline: 20_000,
  prepare: 20_000,
  compare: 20_000,
  combine: 20_000,
  check: 5_000,
}

/** First what operations wait for. A sampled answer can wait, and its check may be made to take long: nothing else waits
 * behind it. */
const URGENCY: TaskName[] = ['outline', 'prepare', 'compare', 'combine', 'check']

/** Work on documents, in threads of its own: a document of megabytes would keep every request waiting. The second thread
 * is there when many documents come at once, as they do at the start, and ends soon after. */
export function createDocuments({ deadlinesMs = {} }: DocumentsOptions = {}): Documents {
  const deadlines = { ...DEADLINES_MS, ...deadlinesMs }
  const waiting: Job[] = []
  let isClosed = false
  const takeJob = () => {
    const urgencies = waiting.map(({ request }) => URGENCY.indexOf(request.task))
    const most = urgencies.indexOf(Math.min(...urgencies))
    return most < 0 ? undefined : waiting.splice(most, 1)[0]
  }
  const threads = [true, false].map((stays) => createThread({ takeJob, stays }))

  const ask =
    <Name extends TaskName>(task: Name) =>
    (...args: Parameters<Tasks[Name]>): ReturnType<Tasks[Name]> =>
      new Promise<unknown>((resolve, reject) => {
        if (isClosed) return reject(new Error('Closed'))
        waiting.push({ request: { task, args }, deadlineMs: deadlines[task], resolve, reject })
        for (const { wake } of threads) wake()
      }) as ReturnType<Tasks[Name]>

  return {
    outline: ask('outline'),
    prepare: ask('prepare'),
    compare: ask('compare'),
    combine: ask('combine'),
    check: ask('check'),
    warmUp: () => {
      for (const thread of threads) thread.warmUp()
    },
    close: async () => {
      isClosed = true
      for (const { reject } of waiting.splice(0)) reject(new Error('Closed'))
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}
