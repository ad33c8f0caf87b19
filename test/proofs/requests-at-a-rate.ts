import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { FloodRequest } from './flood.ts'
import type { OpenLoad, Sent } from './open-load.ts'
import { formatRequest, RawClient } from './raw-client.ts'

/** Sends requests at a steady rate for a time, however long the responses take: a client that waited for them would send
 * less the slower the console is. */
const { urls, requests, perSecond, seconds } = workerData as OpenLoad

/** To each replica, as load balancers have them open. A request that finds all of them busy waits, and its time counts. */
const CONNECTIONS = 2_000
/** Opened at the same time: fewer than the backlog of the console. */
const OPENED_AT_ONCE = 100

interface Connections {
  idle: RawClient[]
  waiting: ((client: RawClient) => void)[]
}

async function open(url: string): Promise<Connections> {
  const idle: RawClient[] = []
  while (idle.length < CONNECTIONS) {
    const opened = Array.from({ length: OPENED_AT_ONCE }, async () => {
      const client = new RawClient(url)
      await client.send('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
      return client
    })
    idle.push(...(await Promise.all(opened)))
  }
  return { idle, waiting: [] }
}

async function send(n: number, atMs: number): Promise<Sent> {
  const { idle, waiting } = connections[n % connections.length] as Connections
  const client = idle.pop() ?? (await new Promise<RawClient>((resolve) => waiting.push(resolve)))
  const response = await client
    .send(formatRequest(requests[n % requests.length] as FloodRequest, n))
    .catch(() => undefined)
  const next = waiting.shift()
  if (next) next(client)
  else idle.push(client)
  return { atMs, status: response?.status, tookMs: performance.now() - startedAt - atMs }
}

const connections = await Promise.all(urls.map(open))
const startedAt = performance.now()
const sent: Promise<Sent>[] = []
for (let n = 0; n < perSecond * seconds; n++) {
  const atMs = (n * 1_000) / perSecond
  const aheadMs = atMs - (performance.now() - startedAt)
  if (aheadMs > 0) await sleep(aheadMs)
  sent.push(send(n, performance.now() - startedAt))
}
parentPort?.postMessage(await Promise.all(sent))
for (const { idle } of connections) for (const client of idle) client.close()
