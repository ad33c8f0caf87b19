import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface SteadyUpdates {
  url: string
  agents: { id: string; token: string }[]
  perSecond: number
}

/** An update that was answered; its times are by `performance.now()`. */
export interface Update {
  id: string
  revision: number
  sentAt: number
  answeredAt: number
}

/** Begins to update agents, in a thread of its own: who measures what arrives must not be kept from looking. */
export function startUpdates(workload: SteadyUpdates): { stop: () => Promise<Update[]> } {
  const worker = new Worker(new URL('./steady-updates.ts', import.meta.url), { workerData: workload })
  const answered = once(worker, 'message').then(([updates]) => updates as Update[])
  // `stop` reports the failure. A caller that fails before does not wait for them.
  answered.catch(() => {})
  worker.unref()
  return {
    stop: async () => {
      worker.ref()
      worker.postMessage('stop')
      const updates = await answered
      return updates.map(({ sentAt, answeredAt, ...update }) => ({
        ...update,
        sentAt: sentAt - performance.timeOrigin,
        answeredAt: answeredAt - performance.timeOrigin,
      }))
    },
  }
}
