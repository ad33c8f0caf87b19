import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import { CLIENTS, type Traffic, type TrafficReport } from './traffic.ts'

const { url, token, ids } = workerData as Traffic
const pool = new Pool(url, { connections: CLIENTS })
const COLLECTION = '/v1/agent-configurations'

const report: TrafficReport = { requests: 0, failures: [], slowestMs: 0 }
let isStopped = false
parentPort?.once('message', () => (isStopped = true))
const counting = setInterval(() => parentPort?.postMessage(report.requests), 50)

async function send(method: 'GET' | 'PUT', path: string, json?: object): Promise<void> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = json ? JSON.stringify(json) : null
  try {
    const response = await pool.request({ method, path, headers, body })
    const text = await response.body.text()
    if (response.statusCode !== 200)
      report.failures.push(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`)
  } catch (error) {
    report.failures.push(`${method} ${path}: ${String(error)}`)
  }
  report.requests += 1
  report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt)
}

async function runClient(first: number): Promise<void> {
  for (let n = first; !isStopped; n += CLIENTS) {
    const path = `${COLLECTION}/${ids[n % ids.length]}`
    await send('PUT', path, { purpose: `change ${n}` })
    await send('GET', path)
    if (n % 5 === 0) await send('GET', `${COLLECTION}?limit=20`)
  }
}

await Promise.all(Array.from({ length: CLIENTS }, (_, first) => runClient(first)))
clearInterval(counting)
parentPort?.postMessage(report)
await pool.close()
