import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface Traffic {
  url: string
  token: string
  ids: string[]
}

/** Fewer than the places for writes: no client waits for another one, and none is refused for that. */
export const CLIENTS = 4

export interface TrafficReport {
  requests: number
  /** Each response that is not 200. */
  failures: string[]
  slowestMs: number
}

/** Clients that read, list and change agents, in a thread of their own, until they are told to stop. */
export async function startTraffic(
  traffic: Traffic,
): Promise<{ stop: () => Promise<TrafficReport>; requests: () => number }> {
  const worker = new Worker(new URL('./traffic-clients.ts', import.meta.url), { workerData: traffic })
  let requests = 0
  const report = Promise.withResolvers<TrafficReport>()
  report.promise.catch(() => {})
  worker.on('message', (message: number | TrafficReport) => {
    if (typeof message === 'number') requests = message
    else report.resolve(message)
  })
  worker.on('error', report.reject)
  await once(worker, 'message')
  return {
    requests: () => requests,
    stop: () => {
      worker.postMessage('stop')
      return report.promise
    },
  }
}
