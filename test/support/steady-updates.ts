import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import type { SteadyUpdates, Update } from './updates-at-a-rate.ts'

/** Updates agents in turn at a steady rate until told to stop, however long the responses take: a client that waited for them
 * would send less the slower the console is. */
const { url, agents, perSecond } = workerData as SteadyUpdates

const pool = new Pool(url, { connections: 128 })
const clock = () => performance.timeOrigin + performance.now()

async function update(n: number): Promise<Update> {
  const { id, token } = agents[n % agents.length] as { id: string; token: string }
  const sentAt = clock()
  const { statusCode, headers, body } = await pool.request({
    method: 'PUT',
    path: `/v1/agent-configurations/${id}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ purpose: `update ${n}` }),
  })
  const answeredAt = clock()
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
  return { id, revision: Number(String(headers['etag']).slice(1, -1)), sentAt, answeredAt }
}

let isStopped = false
parentPort?.once('message', () => (isStopped = true))

const updates: Promise<Update>[] = []
const startedAt = performance.now()
while (!isStopped) {
  const aheadMs = startedAt + (updates.length * 1_000) / perSecond - performance.now()
  if (aheadMs > 0) await sleep(aheadMs)
  updates.push(update(updates.length))
}
parentPort?.postMessage(await Promise.all(updates))
await pool.close()
