import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type ClientPool, openClients } from '../support/client-pool.ts'
import type { FloodRequest } from '../support/flood.ts'
import { formatRequest } from '../support/raw-client.ts'
import type { OpenLoad, Sent } from './open-load.ts'

/** Sends requests at a steady rate for a time, however long the responses take: a client that waited for them would send
 * less the slower the console is. */
const { urls, requests, perSecond, seconds, connections } = workerData as OpenLoad

async function send(n: number, atMs: number): Promise<Sent> {
  const pool = pools[n % pools.length] as ClientPool
  if (!pool.hasIdle()) return { atMs, status: 'not sent', tookMs: 0 }
  const response = await pool.send(formatRequest(requests[n % requests.length] as FloodRequest, n))
  return { atMs, status: response?.status, tookMs: performance.now() - startedAt - atMs }
}

const pools = await Promise.all(urls.map((url) => openClients(url, connections)))
const startedAt = performance.now()
const sent: Promise<Sent>[] = []
for (let n = 0; n < perSecond * seconds; n++) {
  const atMs = (n * 1_000) / perSecond
  const aheadMs = atMs - (performance.now() - startedAt)
  if (aheadMs > 0) await sleep(aheadMs)
  sent.push(send(n, performance.now() - startedAt))
}
parentPort?.postMessage(await Promise.all(sent))
for (const pool of pools) pool.close()
