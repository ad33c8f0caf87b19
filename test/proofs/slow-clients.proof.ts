import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { fetch, type RequestInit } from 'undici'
import { withChildren } from '../support/children.ts'
import { bearer, startConsoleWithFiles } from '../support/console-with-files.ts'
import { observeMemory } from '../support/memory.ts'
import { type Proxy, startProxy } from '../support/nginx.ts'
import type { RunningConsole } from '../support/processes.ts'
import { IS_LONG, sized } from '../support/sized.ts'
import { quantile } from '../support/timing.ts'
import { until } from '../support/until.ts'
import type { SlowClient, SlowClients, SlowClientsReport } from './slow-clients.ts'

/** Those of an address that nginx lets through. */
const UPLOADS = sized(64, 256)
const UNREAD = sized(64, 512)
const MIB = 1024 * 1024
const MAX_GROWN_BYTES = 150 * MIB
const MAX_RATIO = 6
/** The other clients call so often alone, and again beside the slow ones. */
const ROUNDS = sized(50, 500)
const PAGE_AGENTS = 64
const PROMPT = 'x'.repeat(64 * 1024)
const DOWNLOAD = '/v1/files/8388608'

describe(`${UPLOADS} slow uploads of one team and ${UNREAD} clients that never read, through deploy/nginx`, () => {
  it('keep no other client waiting, and take little memory of the console', () =>
    withChildren(async (start) => {
      const service = await start<string>('./file-service.ts', {})
      await using running = await startConsoleWithFiles(service.started)
      const proxy = await startProxy([running.url])
      try {
        const slow = await createTeam(running, PAGE_AGENTS)
        const calls = callsOf(proxy, await createTeam(running, 1))
        const alone = await callInTurn(calls)
        const usual = observeMemory(running)
        await callInTurn(calls)
        const usualRss = usual.stop()

        const memory = observeMemory(running)
        const connectAll = (clients: SlowClient[]) =>
          start<string>('./slow-clients.ts', { url: proxy.url, clients } satisfies SlowClients)
        await connectAll(uploading(slow))
        const beside = await callInTurn(calls)
        const { ask } = await connectAll(unread(slow))
        const crowded = await callInTurn(calls)
        const report = () => ask<SlowClientsReport>('report')
        await until('each has the beginning of its response', async () => (await report()).served >= UNREAD)
        const most = memory.stop()
        const { statuses } = await report()
        process.stdout.write(
          `p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside uploads, ${crowded.toFixed(1)} ms beside all; ` +
            `memory ${mib(usualRss)} MiB alone, ${mib(most)} at most; statuses of what is not read: ${JSON.stringify(statuses)}\n`,
        )
        assert.ok(most - usualRss < MAX_GROWN_BYTES, `grew by ${mib(most - usualRss)} MiB`)
        if (IS_LONG) assert.ok(beside < MAX_RATIO * alone, `${(beside / alone).toFixed(1)} times`)
      } finally {
        await proxy.stop()
      }
    }))
})

interface Team {
  token: string
  ids: string[]
}

async function createTeam({ url, token: newToken }: RunningConsole, agents: number): Promise<Team> {
  const token = await newToken({ team: randomUUID() })
  const ids: string[] = []
  for (let n = 0; n < agents; n++) {
    const response = await fetch(`${url}/v1/agent-configurations`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify({ agent_name: `a${n}`, model_name: 'm', agent_system_prompt: PROMPT }),
    })
    ids.push(((await response.json()) as { id: string }).id)
  }
  return { token, ids }
}

/** What the other clients do. Each expects a success. */
function callsOf({ url, dispatcher }: Proxy, { token, ids }: Team): (() => Promise<void>)[] {
  const agent = `/v1/agent-configurations/${ids[0]}`
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const response = await fetch(url + path, { dispatcher, headers, ...init })
    await response.bytes()
    assert.ok(response.ok, `${path}: ${response.status}`)
  }
  let version = 0
  const update = () => call(agent, { method: 'PUT', body: JSON.stringify({ agent_name: `v${version++}` }) })
  return [
    () => call('/health/live'),
    () => call(agent),
    () => call('/v1/agent-configurations'),
    update,
    () => call('/v1/files'),
  ]
}

/** The p99 of the calls. */
async function callInTurn(calls: (() => Promise<void>)[]): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    for (const call of calls) {
      const startedAt = performance.now()
      await call()
      times.push(performance.now() - startedAt)
    }
  return quantile(times, 0.99)
}

function unread({ token }: Team): SlowClient[] {
  // The limit for an address is half of them.
  return ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'].map((from, n) => ({
    begin: request('GET', n % 2 === 0 ? DOWNLOAD : '/v1/agent-configurations?limit=500', token, '\r\n'),
    count: UNREAD / 4,
    from,
  }))
}

function uploading({ token, ids }: Team): SlowClient[] {
  const rest = 'x'.repeat(1_000)
  const length = 'content-length: 100000\r\n\r\n'
  return [`PUT /v1/agent-configurations/${ids[0]}`, 'POST /v1/files'].map((line) => {
    const [method = '', path = ''] = line.split(' ')
    return { begin: request(method, path, token, length), rest, count: UPLOADS / 2, from: '127.0.0.2' }
  })
}

function request(method: string, path: string, token: string, end: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`
  return `${head}authorization: Bearer ${token}\r\n${end}`
}

const mib = (bytes: number) => Math.round(bytes / MIB)
