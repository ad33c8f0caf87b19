import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type ClientPool, openClients } from '../support/client-pool.ts'
import type { FloodRequest } from '../support/flood.ts'
import { formatRequest } from '../support/raw-client.ts'
import type { OpenLoad, Sent } from './open-load.ts'

/** Sends requests at a steady rate for a time, however long the responses take: a client that waited for them would send
 * less the slower the console is. */
const { urls, requests, perSecond, seconds } = workerData as OpenLoad

/** To each replica. A request that finds all of them busy waits, and its time counts. */
const CONNECTIONS = 2_000

async function send(n: number, atMs: number): Promise<Sent> {
  const request = formatRequest(requests[n % requests.length] as FloodRequest, n)
  const response = await (pools[n % pools.length] as ClientPool).send(request)
  return { atMs, status: response?.status, tookMs: performance.now() - startedAt - atMs }
}

const pools = await Promise.all(urls.map((url) => openClients(url, CONNECTIONS)))
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
