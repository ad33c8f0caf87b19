import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openClients } from '../support/client-pool.ts'
import { formatRequest } from '../support/raw-client.ts'
import {
  KINDS,
  type Kind,
  type MixedLoad,
  type MixedReport,
  type MixedRequest,
  type Times,
} from './mixed-load.ts'

/** Sends requests at a steady rate, however long the responses take, and counts the responses. */
const { url, requests, perSecond, seconds, connections } = workerData as MixedLoad

const REFUSALS = ['overloaded', 'too_many_requests']

const counts = Object.fromEntries(
  KINDS.map((kind) => [kind, { sent: 0, statuses: {}, times: createHistogram() }]),
) as Record<Kind, { sent: number; statuses: Record<string, number>; times: RecordableHistogram }>
const all = createHistogram()
const unexpected: Record<string, number> = {}
let pending = 0

async function send(n: number): Promise<void> {
  const request = requests[n % requests.length] as MixedRequest
  const { sent, statuses, times } = counts[request.kind]
  counts[request.kind].sent = sent + 1
  pending += 1
  const sentAt = performance.now()
  const response = await pool.send(formatRequest(request, n))
  const tookUs = Math.max(1, Math.round((performance.now() - sentAt) * 1_000))
  pending -= 1
  const status = String(response?.status ?? 'failed')
  statuses[status] = (statuses[status] ?? 0) + 1
  if (response?.status === 200) {
    times.record(tookUs)
    all.record(tookUs)
    return
  }
  const [, code = ''] = /"code":"(\w+)"/.exec(response?.text ?? '') ?? []
  if (REFUSALS.includes(code)) return
  const what = `${request.kind} ${status} ${code}`
  unexpected[what] = (unexpected[what] ?? 0) + 1
}

const toTimes = (histogram: RecordableHistogram): Times => ({
  p50Ms: histogram.percentile(50) / 1_000,
  p99Ms: histogram.percentile(99) / 1_000,
  longestMs: histogram.max / 1_000,
})

const pool = await openClients(url, connections)
const startedAt = performance.now()
for (let n = 0; n < perSecond * seconds; n++) {
  const aheadMs = (n * 1_000) / perSecond - (performance.now() - startedAt)
  if (aheadMs > 0) await sleep(aheadMs)
  void send(n)
}
const lastSentAt = performance.now()
while (pending > 0) await sleep(10)

parentPort?.postMessage({
  perSecond: (perSecond * seconds * 1_000) / (lastSentAt - startedAt),
  drainMs: performance.now() - lastSentAt,
  kinds: Object.fromEntries(
    KINDS.map((kind) => [kind, { ...counts[kind], times: toTimes(counts[kind].times) }]),
  ) as MixedReport['kinds'],
  times: toTimes(all),
  unexpected,
} satisfies MixedReport)
pool.close()
