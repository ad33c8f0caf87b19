import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Flood, FloodCounts, FloodRequest } from './flood.ts'
import { formatRequest, RawClient } from './raw-client.ts'

/** Callers that send one request after the other until told to stop. A caller that is refused waits as long as the response
 * says, and a random part of a second. */
const { urls, requests, callers } = workerData as Flood

/** The flood has begun after so many responses. */
const FIRST_RESPONSES = 50

// Of this thread alone: the callers stand for other machines, and must not take the processor from what is measured.
setPriority(10)

const counts: FloodCounts = {}
let responses = 0
const stopping = new AbortController()
const { signal } = stopping

async function call(caller: number): Promise<void> {
  const client = new RawClient(urls[caller % urls.length] as string)
  signal.addEventListener('abort', () => client.close())
  for (let n = caller; !signal.aborted; n++) {
    const response = await client.send(formatRequest(requests[n % requests.length] as FloodRequest, n))
    counts[response.status] = (counts[response.status] ?? 0) + 1
    if (++responses === FIRST_RESPONSES) parentPort?.postMessage('begun')
    if (response.retryAfter !== undefined)
      await sleep((response.retryAfter + Math.random()) * 1_000, undefined, { signal })
  }
}

parentPort?.once('message', () => stopping.abort())
const results = Array.from({ length: callers }, (_, caller) =>
  call(caller).catch((error: unknown) => {
    if (!signal.aborted) throw error
  }),
)
await Promise.all(results)
parentPort?.postMessage(counts)
