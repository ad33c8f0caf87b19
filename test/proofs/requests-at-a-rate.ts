import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import type { FloodRequest } from './flood.ts'
import type { OpenLoad, Sent } from './open-load.ts'

/** Sends requests at a steady rate for a time, however long the responses take: a client that waited for them would send
 * less the slower the console is. */
const { urls, requests, perSecond, seconds } = workerData as OpenLoad

/** As many as a load balancer keeps open. */
const CONNECTIONS = 256

const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS }))

async function send(n: number, atMs: number): Promise<Sent> {
  const { method, path, token, body } = requests[n % requests.length] as FloodRequest
  const status = await (pools[n % pools.length] as Pool)
    .request({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: body.replace('{n}', String(n)) } : {}),
    })
    .then(
      async (response) => {
        await response.body.dump()
        return response.statusCode
      },
      () => undefined,
    )
  return { atMs, status, tookMs: performance.now() - startedAt - atMs }
}

const startedAt = performance.now()
const sent: Promise<Sent>[] = []
for (let n = 0; n < perSecond * seconds; n++) {
  const atMs = (n * 1_000) / perSecond
  const aheadMs = atMs - (performance.now() - startedAt)
  if (aheadMs > 0) await sleep(aheadMs)
  sent.push(send(n, performance.now() - startedAt))
}
parentPort?.postMessage(await Promise.all(sent))
await Promise.all(pools.map((pool) => pool.close()))
