import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningConsole } from '../acceptance/processes.ts'
import { until } from '../support/until.ts'
import { canBeWatched } from '../support/watching.ts'
import { withChildren } from './children.ts'
import { bearer, startConsoleWithFiles } from './console-with-files.ts'
import { measureMemory, observeMemory, TELLS_MEMORY } from './memory.ts'
import type { SlowClient, SlowClients, SlowClientsReport } from './slow-clients.ts'

/** 200 of each kind in CI, with smaller limits; `npm run proof:slow-clients` has 2,000 and the default limits. */
const CLIENTS = Number(process.env['SLOW_CLIENTS'] ?? 200)
const MIB = 1024 * 1024
/** More in CI: resident memory includes what the allocator keeps, which differs by 100 MiB when other proofs run beside this
 * one. What the process really holds has its own limit below. */
const MAX_GROWN_BYTES = (CLIENTS < 2_000 ? 400 : 200) * MIB
/** Small enough that fifty downloads exceed it: a page of the list fits into the buffers of the operating system. */
const LIMITS: Record<string, string> =
  CLIENTS < 2_000 ? { RESPONSE_STALL_MS: '5000', MAX_UNSENT_BYTES: String(2 * MIB) } : {}

const PATIENCE_MS = 240_000
/** How long the other clients are served alone. */
const USUAL_MS = CLIENTS < 2_000 ? 2_000 : 20_000
/** Between two requests of another client. In CI other proofs run beside this one, and need the processor. */
const PAUSE_MS = CLIENTS < 2_000 ? 250 : 0
const PAGE_AGENTS = 64
const PROMPT = 'x'.repeat(64 * 1024)
const DOWNLOAD = '/v1/files/67108864'

describe(`${CLIENTS} clients that never read and ${CLIENTS} that hardly send`, () => {
  it('take little memory, give it back, and keep no other client waiting', () =>
    withChildren(async (start) => {
      const service = await start<string>('./file-service.ts', {})
      await using running = await startConsoleWithFiles(service.started, { ...LIMITS, ...TELLS_MEMORY })
      const { url } = running
      const slow = await createTeam(running, PAGE_AGENTS)
      const other = await createTeam(running, 1)
      const watchers = await Promise.all(
        Array.from({ length: Math.ceil(CLIENTS / 4 / 20) }, async (_, n) =>
          running.token({ team: `${slow.team.slice(0, -1)}${Math.floor(n / 10)}` }),
        ),
      )
      await canBeWatched(url, other.token)
      const script = /src="([^"]+)"/.exec(await (await fetch(`${url}/docs`)).text())?.[1] ?? ''
      const calls = callsOf(running, other)
      const page = `${url}/v1/agent-configurations?limit=500`
      // What the first requests cost is not what slow clients cost.
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          await (await fetch(page, { headers: bearer(slow.token) })).text()
          await (await fetch(url + script)).bytes()
          for (const call of calls) await call()
        }),
      )

      const statuses = new Map<string, number>()
      let isDone = false
      const serve = async (call: () => Promise<number | string>, index: number) => {
        while (!isDone) {
          const key = `${index}: ${await call()}`
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
          if (PAUSE_MS > 0) await sleep(PAUSE_MS)
        }
      }
      const before = await measureMemory(running)
      const served = Promise.all(calls.map(serve))
      // What the other clients cost is not what slow clients cost, either.
      const usual = observeMemory(running)
      await sleep(USUAL_MS)
      const usualRss = usual.stop()
      const memory = observeMemory(running)
      const crowd = start<string>('./slow-clients.ts', {
        url,
        clients: [...hardlySent(slow), ...unread(slow.token, script, watchers)],
      } satisfies SlowClients)
      const { ask } = await crowd
      // Watchers stay: nothing waits to be sent to them.
      const mayStay = watchers.length * 20 + calls.length + 10
      const isServed = async () => (await ask<SlowClientsReport>('report')).served >= 2 * CLIENTS
      await until('each client has got a response, or was disconnected', isServed, PATIENCE_MS)
      await until(
        'slow clients are cut off',
        async () => (await connections(running)) <= mayStay,
        PATIENCE_MS,
      )
      await until('nothing is left to send', async () =>
        /^console_responses_unsent_bytes 0$/m.test(await metricsOf(running)),
      )
      isDone = true
      await served
      const most = memory.stop()
      const after = await measureMemory(running)

      const report = await ask<SlowClientsReport>('report')
      const text = await metricsOf(running)
      print(
        `responses to slow clients ${JSON.stringify(report.statuses)}; to others ${JSON.stringify([...statuses])}`,
      )
      print(`cut off: ${text.match(/^console_responses_cut_off_total.*$/gm)?.join(', ')}`)
      print(
        `memory: ${mib(usualRss)} MiB without slow clients, ${mib(most)} at most (+${mib(most - usualRss)}), ${mib(after.rss)} after; ` +
          `held ${mib(held(before))} before and ${mib(held(after))} after`,
      )
      for (const [key] of statuses) assert.match(key, /: 2\d\d$/)
      assert.equal(statuses.size, calls.length)
      for (const cause of ['stalled', 'memory']) {
        assert.ok(new RegExp(`cut_off_total\\{cause="${cause}"\\} [1-9]`).test(text), cause)
      }
      assert.ok(most - usualRss < MAX_GROWN_BYTES, `grew by ${mib(most - usualRss)} MiB`)
      assert.ok(
        held(after) - held(before) < 32 * MIB,
        `still holds ${mib(held(after) - held(before))} MiB more`,
      )
    }))
})

interface Team {
  team: string
  token: string
  ids: string[]
}

async function createTeam({ url, token: newToken }: RunningConsole, agents: number): Promise<Team> {
  const team = randomUUID()
  const token = await newToken({ team })
  const ids: string[] = []
  for (let n = 0; n < agents; n++) {
    const response = await fetch(`${url}/v1/agent-configurations`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify({ agent_name: `a${n}`, model_name: 'm', agent_system_prompt: PROMPT }),
    })
    ids.push(((await response.json()) as { id: string }).id)
  }
  return { team, token, ids }
}

/** What the other clients do; each returns the status, or the error if there is no response. */
function callsOf({ url }: RunningConsole, { token, ids }: Team): (() => Promise<number | string>)[] {
  const agent = `/v1/agent-configurations/${ids[0]}`
  const call = (path: string, init: RequestInit = {}) => {
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    return async () => {
      try {
        const response = await fetch(url + path, { headers, ...init })
        await response.bytes()
        return response.status
      } catch (error) {
        return String((error as Error).cause ?? error)
      }
    }
  }
  let version = 0
  const update = () => call(agent, { method: 'PUT', body: JSON.stringify({ agent_name: `v${version++}` }) })()
  return [call('/health/live'), call(agent), call('/v1/agent-configurations'), update, call('/v1/files')]
}

function unread(token: string, script: string, watchers: string[]): SlowClient[] {
  const get = (path: string, own = token) => request('GET', path, own, '\r\n')
  const count = CLIENTS / 4
  return [
    { begin: get(script), count },
    { begin: get(DOWNLOAD), count },
    ...watchers.map((own) => ({ begin: get('/v1/agent-configurations/events', own), count: 20 })),
    // Last, because they take the console the longest.
    { begin: get('/v1/agent-configurations?limit=500'), count },
  ]
}

function hardlySent({ token, ids }: Team): SlowClient[] {
  const count = Math.floor(CLIENTS / 3)
  const rest = 'x'.repeat(1_000)
  const length = 'content-length: 100000\r\n\r\n'
  return [
    { begin: 'GET /health/live HTTP/1.1\r\nhost: a\r\nx-slow: ', rest, count },
    { begin: request('PUT', `/v1/agent-configurations/${ids[0]}`, token, length), rest, count },
    { begin: request('POST', '/v1/files', token, length), rest, count: CLIENTS - 2 * count },
  ]
}

function request(method: string, path: string, token: string, end: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`
  return `${head}authorization: Bearer ${token}\r\n${end}`
}

async function connections(running: RunningConsole): Promise<number> {
  return Number(/^console_connections (\d+)$/m.exec(await metricsOf(running))?.[1])
}

async function metricsOf({ metricsUrl }: RunningConsole): Promise<string> {
  return (await fetch(metricsUrl)).text()
}

const held = ({ heapUsed, external }: NodeJS.MemoryUsage) => heapUsed + external
const mib = (bytes: number) => Math.round(bytes / MIB)
const print = (line: string) => process.stdout.write(`${line}\n`)
