import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FloodRequest } from '../support/flood.ts'

export interface OpenLoad {
  urls: string[]
  /** Sent in turn. */
  requests: FloodRequest[]
  perSecond: number
  seconds: number
  /** To each replica. A request that finds all of them busy is not sent: a proxy in front would answer it. */
  connections: number
}

/** A request: when it was sent, in milliseconds since the start, and its response. */
export interface Sent {
  atMs: number
  /** Undefined if the connection failed. */
  status: number | 'not sent' | undefined
  tookMs: number
}

/** Sends requests at a rate, in a thread of their own. */
export async function sendAtRate(load: OpenLoad): Promise<Sent[]> {
  const worker = new Worker(new URL('./requests-at-a-rate.ts', import.meta.url), { workerData: load })
  const [sent] = (await once(worker, 'message')) as [Sent[]]
  return sent
}
