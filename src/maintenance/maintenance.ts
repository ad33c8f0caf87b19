import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { MaintenanceMetrics } from '../platform/observe/metrics/maintenance.ts'
import type { Leader } from './leader.ts'
import type { Step } from './step.ts'

export interface MaintenanceDeps {
  leader: Leader
  steps: readonly Step[]
  metrics: MaintenanceMetrics
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
}

export interface Maintenance {
  close: () => Promise<void>
}

/** With a pause of four times the work, maintenance uses at most a fifth of one connection. */
const PAUSE_FACTOR = 4
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 2_000

interface Task {
  step: Step
  dueAt: number
  /** Set if the last run left more to do. */
  pauseMs: number | undefined
  isFailing: boolean
}

/** Runs each step at its interval, and again after a pause while it has more to do, until it is closed. */
export function runMaintenance({ leader, steps, metrics, log, now }: MaintenanceDeps): Maintenance {
  const closing = new AbortController()
  const pauseFor = (ms: number) => sleep(ms, undefined, { signal: closing.signal })
  const tasks = steps.map(
    (step): Task => ({
      step,
      // Processes that start together do not compete for the lock at each interval.
      dueAt: performance.now() + Math.random() * Math.min(step.intervalMs, 1_000),
      pauseMs: undefined,
      isFailing: false,
    }),
  )

  const run = async (task: Task) => {
    const { step, pauseMs } = task
    task.pauseMs = undefined
    task.dueAt = performance.now() + step.intervalMs * (0.75 + Math.random() / 2)
    let startedAt = performance.now()
    const pause = async () => {
      await pauseFor(pauseMs ?? 0)
      startedAt = performance.now()
    }
    try {
      const result = await leader.runStep(step, Math.floor(now() / 1_000), pauseMs ? pause : undefined)
      metrics.countRun(step.name, result.outcome === 'skipped' ? 'skipped' : 'succeeded', result.changedRows)
      if (task.isFailing) log.info({ task: step.name }, 'maintenance works again')
      task.isFailing = false
      if (result.outcome !== 'more') return
      const workMs = performance.now() - startedAt
      task.pauseMs = Math.min(Math.max(workMs * PAUSE_FACTOR, MIN_PAUSE_MS), MAX_PAUSE_MS)
      task.dueAt = performance.now()
    } catch (error) {
      if (closing.signal.aborted) return
      metrics.countRun(step.name, 'failed', 0)
      if (!task.isFailing) log.warn({ err: error, task: step.name }, 'maintenance failed; it is tried again')
      task.isFailing = true
    }
  }

  const runAll = async () => {
    while (!closing.signal.aborted) {
      const next = tasks.reduce((first, task) => (task.dueAt < first.dueAt ? task : first))
      await pauseFor(Math.max(0, next.dueAt - performance.now())).catch(() => {})
      if (!closing.signal.aborted) await run(next)
    }
  }
  const running = runAll()

  return {
    close: async () => {
      closing.abort()
      await running
      await leader.close()
    },
  }
}
