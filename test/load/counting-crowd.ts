import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LoadTeam } from './load-fleet.ts'

export interface CountingCrowd {
  url: string
  teams: LoadTeam[]
  watchersPerTeam: number
}

export interface CrowdReport {
  /** An event that was missing or out of order, and what a watcher has not seen in the end. */
  faults: string[]
  events: number
  reconnects: number
}

/** The newest revision of each agent. */
export type Revisions = Map<string, number>

/** Starts watchers in a thread of their own. Unlike `gatherCrowd` they keep the newest revision of each agent, not each
 * event, and come back when they are disconnected. */
export async function gatherCountingCrowd(crowd: CountingCrowd) {
  const worker = new Worker(new URL('./counting-watchers.ts', import.meta.url), { workerData: crowd })
  await once(worker, 'message')
  return {
    /** Waits until each watcher has seen these revisions of its team. */
    check: async (revisions: Revisions): Promise<CrowdReport> => {
      worker.postMessage(revisions)
      const [report] = (await once(worker, 'message')) as [CrowdReport]
      return report
    },
    leave: () => worker.terminate(),
  }
}
