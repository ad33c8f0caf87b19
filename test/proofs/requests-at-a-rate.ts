import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { FloodRequest } from './flood.ts'
import type { OpenLoad, Sent } from './open-load.ts'
import { formatRequest, RawClient } from './raw-client.ts'

/** Sends requests at a steady rate for a time, however long the responses take: a client that waited for them would send
 * less the slower the console is. */
const { urls, requests, perSecond, seconds } = workerData as OpenLoad

/** Open before the load begins, to each replica, as a load balancer has them. A request that finds all busy opens another. */
const CONNECTIONS = 1_000

/** The idle connections to each replica. */
const idle: RawClient[][] = await Promise.all(
  urls.map((url) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const client = new RawClient(url)
        await client.send('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
        return client
      }),
    ),
  ),
)

async function send(n: number, atMs: number): Promise<Sent> {
  const free = idle[n % urls.length] as RawClient[]
  const client = free.pop() ?? new RawClient(urls[n % urls.length] as string)
  const response = await client
    .send(formatRequest(requests[n % requests.length] as FloodRequest, n))
    .catch(() => undefined)
  free.push(client)
  return { atMs, status: response?.status, tookMs: performance.now() - startedAt - atMs }
}

const startedAt = performance.now()
const sent: Promise<Sent>[] = []
for (let n = 0; n < perSecond * seconds; n++) {
  const aheadMs = (n * 1_000) / perSecond - (performance.now() - startedAt)
  if (aheadMs > 0) await sleep(aheadMs)
  sent.push(send(n, performance.now() - startedAt))
}
parentPort?.postMessage(await Promise.all(sent))
for (const client of idle.flat()) client.close()
