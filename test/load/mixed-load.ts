import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FloodRequest } from '../support/flood.ts'

export const KINDS = ['read', 'list', 'write', 'mounted'] as const
export type Kind = (typeof KINDS)[number]

export interface MixedRequest extends FloodRequest {
  kind: Kind
}

export interface MixedLoad {
  url: string
  /** Sent in turn. */
  requests: MixedRequest[]
  perSecond: number
  seconds: number
  /** A request that finds all of them busy waits, and its time counts. */
  connections: number
}

export interface Times {
  p50Ms: number
  p99Ms: number
  longestMs: number
}

export interface KindReport {
  sent: number
  /** How many responses had each status; `failed` without a response. */
  statuses: Record<string, number>
  /** Of the responses with 200. */
  times: Times
}

export interface MixedReport {
  /** What was really sent. */
  perSecond: number
  /** From the last request to the last response. */
  drainMs: number
  kinds: Record<Kind, KindReport>
  /** Of the responses with 200, all kinds together. */
  times: Times
  /** How many responses were neither a success nor a refusal by the fair shares, by kind, status and code. */
  unexpected: Record<string, number>
}

/** Sends a mixture of requests at a rate, in a thread of its own. Unlike `sendAtRate` it keeps counts and histograms, not
 * each response: an hour has millions. */
export async function sendMixedLoad(load: MixedLoad): Promise<MixedReport> {
  const worker = new Worker(new URL('./mixed-load-sender.ts', import.meta.url), { workerData: load })
  const [report] = (await once(worker, 'message')) as [MixedReport]
  return report
}
