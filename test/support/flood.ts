import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface FloodRequest {
  method: 'GET' | 'PUT'
  path: string
  token: string
  /** `{n}` becomes a number. */
  body?: string
}

export interface Flood {
  /** The replicas; callers are spread over them. */
  urls: string[]
  /** Sent in turn. */
  requests: FloodRequest[]
  callers: number
}

/** Responses by status. */
export type FloodCounts = Record<number, number>

/** Starts callers in a thread of their own: they must not slow down the measurement of others. Resolves when the first
 * responses have arrived. */
export async function startFlood(flood: Flood): Promise<{ stop: () => Promise<FloodCounts> }> {
  const worker = new Worker(new URL('./flooding-callers.ts', import.meta.url), { workerData: flood })
  await once(worker, 'message')
  const ended = once(worker, 'message').then(([counts]) => counts as FloodCounts)
  // `stop` reports the failure.
  ended.catch(() => {})
  return {
    stop: () => {
      worker.postMessage('stop')
      return ended
    },
  }
}
