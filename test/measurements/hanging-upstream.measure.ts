import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { freePorts } from '../../dev/free-port.ts'
import { type Process, type RunningConsole, startConsoleProcess, startProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'

/** How long each measurement lasts, and how many there are of each kind. */
const SECONDS = sized(2, 10)
const ROUNDS = 3
const WRITERS = 4
const HANGING = 200

describe('while an upstream hangs', () => {
  it(`under ${HANGING} calls at a time, the p99 of PUT stays within 1.5 times its own without them`, async () => {
    const [port = 0] = await freePorts(1)
    const running = await startConsoleProcess({ EVOLUTION_URL: `http://127.0.0.1:${port}` })
    const evolution = startProcess('test/support/evolution-service/main.ts', {
      EVOLUTION_PORT: String(port),
      AUTH_ISSUER: running.issuerUrl,
      AUTH_AUDIENCE: 'console',
    })
    try {
      const headers = { authorization: `Bearer ${await running.token()}`, 'content-type': 'application/json' }
      await misbehave(evolution, port)
      const write = await createWriter(running, headers)
      await p99(write)
      const quiet: number[] = []
      const hanging: number[] = []
      // In turns, so that whatever else the machine does falls on both.
      for (let round = 0; round < ROUNDS; round++) {
        quiet.push(await p99(write))
        const release = await hang(running.url, headers)
        hanging.push(await p99(write))
        await release()
      }
      const [alone, beside] = [quantile(quiet, 0.5), quantile(hanging, 0.5)]
      const ratio = beside / alone
      process.stdout.write(
        `p99 of PUT: ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ${HANGING} hanging calls: ${ratio.toFixed(2)} times\n`,
      )
      assert.ok(ratio <= 1.5 * SLACK, `${ratio} times`)
    } finally {
      evolution.signal('SIGKILL')
      await evolution.ended
      await running.close()
    }
  })
})

async function misbehave(evolution: Process, port: number): Promise<void> {
  await until('the evolution service listens', () => evolution.output().includes('listening'))
  const set = await fetch(`http://127.0.0.1:${port}/_misbehave`, {
    method: 'PUT',
    body: JSON.stringify({ mode: 'hang' }),
  })
  assert.equal(set.status, 204, await set.text())
}

async function createWriter(
  running: RunningConsole,
  headers: Record<string, string>,
): Promise<() => Promise<void>> {
  const created = await fetch(`${running.url}/v1/agent-configurations`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ agent_name: 'A', model_name: 'm' }),
  })
  const { id } = (await created.json()) as { id: string }
  return async () => {
    const reply = await fetch(`${running.url}/v1/agent-configurations/${id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ purpose: randomUUID() }),
    })
    await reply.arrayBuffer()
    assert.equal(reply.status, 200)
  }
}

async function p99(write: () => Promise<void>): Promise<number> {
  const times: number[] = []
  const end = performance.now() + SECONDS * 1_000
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (performance.now() < end) {
        const startedAt = performance.now()
        await write()
        times.push(performance.now() - startedAt)
      }
    }),
  )
  return quantile(times, 0.99)
}

/** Keeps that many callers waiting for the upstream until released, in a thread of its own: what they cost this
 * process must not be taken for what they cost the console. Resolves when all of them wait. */
async function hang(url: string, headers: Record<string, string>): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('../support/patient-callers.ts', import.meta.url), {
    workerData: { url: `${url}/v1/evolution/status/`, headers, callers: HANGING },
  })
  await once(worker, 'message')
  return async () => void (await worker.terminate())
}
