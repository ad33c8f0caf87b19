import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import type { Flood, FloodCounts, FloodRequest } from './flood.ts'

/** Callers that send one request after the other until told to stop. A caller that is refused waits as long as the response
 * says, and a random part of a second. */
const { urls, requests, callers } = workerData as Flood

const LOW_PRIORITY = 10

/** The flood has begun after so many responses. */
const FIRST_RESPONSES = 50

// Of this thread alone. These callers stand for other machines: they must not take the processor from what is measured.
setPriority(LOW_PRIORITY)

const pools = urls.map((url) => new Pool(url, { connections: Math.ceil(callers / urls.length) }))
const counts: FloodCounts = {}
let responses = 0
const stopping = new AbortController()
const { signal } = stopping

async function call(caller: number): Promise<void> {
  const pool = pools[caller % pools.length] as Pool
  for (let n = caller; !signal.aborted; n++) {
    const { method, path, token, body } = requests[n % requests.length] as FloodRequest
    const response = await pool.request({
      method,
      path,
      signal,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: body.replace('{n}', String(n)) } : {}),
    })
    await response.body.dump()
    counts[response.statusCode] = (counts[response.statusCode] ?? 0) + 1
    if (++responses === FIRST_RESPONSES) parentPort?.postMessage('begun')
    const retryAfter = response.headers['retry-after']
    if (retryAfter !== undefined)
      await sleep((Number(retryAfter) + Math.random()) * 1_000, undefined, { signal })
  }
}

parentPort?.once('message', () => stopping.abort())
const results = await Promise.allSettled(Array.from({ length: callers }, (_, caller) => call(caller)))
const failed = results.find(({ status, ...result }) => status === 'rejected' && !isAbort(result))
if (failed) throw (failed as PromiseRejectedResult).reason
parentPort?.postMessage(counts)
await Promise.all(pools.map((pool) => pool.destroy()))

function isAbort(result: object): boolean {
  return (result as { reason?: { name?: string } }).reason?.name === 'AbortError'
}
