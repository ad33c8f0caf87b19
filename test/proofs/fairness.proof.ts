import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePorts } from '../../dev/free-port.ts'
import { COLLECTION } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { type FloodRequest, startFlood } from '../support/flood.ts'
import { observeIdleCores } from '../support/idle-cores.ts'
import { MEMORY_LIMITS, observeMemory } from '../support/memory.ts'
import { answers, type RunningConsole, startConsoleProcess, startProcess } from '../support/processes.ts'
import { formatRequest, RawClient } from '../support/raw-client.ts'
import { IS_LONG } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { type Sent, sendAtRate } from './open-load.ts'

/** `npm run proof -- fairness --long` takes longer and compares times; CI checks statuses. */
const SECONDS = IS_LONG ? 20 : 2
const LOCKED_SECONDS = IS_LONG ? 30 : 3
const OVERLOADED_SECONDS = IS_LONG ? 60 : 2
/** That a proxy in front opens to each replica. */
const CONNECTIONS = 1_000
const AGENTS_OF_LARGE_TEAM = IS_LONG ? 100_000 : 5_000
/** How many times its p99 without the flood the p99 of team B may be. */
const MAX_RATIO = 6 * SLACK

interface Team {
  token: string
  agents: string[]
}

describe('two replicas', async () => {
  const first = await startConsoleProcess({
    // For a database with two cores that two replicas share: with more, the statements of team A wait for the processor
    // beside those of team B. See docs/deploy.md.
    DATABASE_POOL_SIZE: '6',
    // The default; other tests wait longer, because they run beside each other.
    DATABASE_MAX_WAIT_MS: '1000',
    NODE_OPTIONS: MEMORY_LIMITS,
  })
  const [port, metricsPort] = await freePorts(2)
  const environment = { ...first.environment, PORT: String(port), METRICS_PORT: String(metricsPort) }
  const second = startProcess('src/main.ts', environment)
  const urls = [first.url, `http://127.0.0.1:${port}`]
  const close = async () => {
    second.signal('SIGKILL')
    await second.ended
    await first.close()
  }
  await answers(`${urls[1]}/health/live`, second).catch(async (error: unknown) => {
    await close()
    throw error
  })
  closeAfter(close)

  const [flooder, other] = [await createTeam(first, 50), await createTeam(first, 10)]
  await growTeam(first, flooder, AGENTS_OF_LARGE_TEAM)

  const { token } = flooder
  const updates = flooder.agents.map((id) => updateOf(id, token))

  /** Team B reads, updates and lists, at each replica, until the time is over. Each caller has agents of its own: it waits for no
   * lock of the other caller, so only team A can delay it. */
  const useAsOther = async (seconds: number) => {
    const times: number[] = []
    const failures: string[] = []
    const endAt = performance.now() + seconds * 1_000
    const { token } = other
    const use = async (url: string, replica: number) => {
      const agents = other.agents.filter((_, n) => n % urls.length === replica)
      const client = new RawClient(url)
      for (let n = 0; performance.now() < endAt; n++) {
        const id = agents[n % agents.length] as string
        const path = `${COLLECTION}/${id}`
        const request = [
          { method: 'GET', path, token } as const,
          updateOf(id, token),
          { method: 'GET', path: `${COLLECTION}?limit=1`, token } as const,
        ][n % 3] as FloodRequest
        const startedAt = performance.now()
        const { status, text } = await client.send(formatRequest(request, n))
        times.push(performance.now() - startedAt)
        if (status !== 200) failures.push(`${request.method} ${text}`)
        await sleep(5)
      }
      client.close()
    }
    await Promise.all(urls.map(use))
    return { times, failures, p99: quantile(times, 0.99) }
  }

  /** Milliseconds until all requests of team B succeed. */
  const measureRecovery = async () => {
    const startedAt = performance.now()
    while ((await useAsOther(0.2)).failures.length > 0);
    return performance.now() - startedAt
  }

  await useAsOther(1)
  const alone = await useAsOther(SECONDS)

  const report = async (t: TestContext, requests: FloodRequest[], callers: number, seconds = SECONDS) => {
    const flooding = await startFlood({ urls, requests, callers })
    const idle = observeIdleCores()
    const [used] = await Promise.allSettled([useAsOther(seconds)])
    const idleShare = idle()
    const counts = await flooding.stop()
    if (used.status === 'rejected') throw used.reason
    const { times, failures, p99 } = used.value
    t.diagnostic(
      `team B: ${times.length} requests, p50 ${ms(quantile(times, 0.5))}, p99 ${ms(p99)}, without the flood ` +
        `p50 ${ms(quantile(alone.times, 0.5))}, p99 ${ms(alone.p99)}; ratio ${(p99 / alone.p99).toFixed(1)}, cores ${Math.round(idleShare * 100)} % idle; ` +
        `team A: ${JSON.stringify(counts)}`,
    )
    assert.deepEqual(failures.slice(0, 3), [])
    if (IS_LONG)
      assert.ok(p99 <= MAX_RATIO * alone.p99, `at most ${MAX_RATIO} times the p99 without the flood`)
    for (const status of Object.keys(counts)) assert.match(status, /^(200|429|503)$/)
  }

  describe('serve team B while team A', () => {
    it('updates one agent with 1,000 callers', (t) => report(t, updates.slice(0, 1), 1_000))

    it('updates 50 agents with 1,000 callers', (t) => report(t, updates, 1_000))

    it(`searches and counts among ${AGENTS_OF_LARGE_TEAM} agents with 200 callers`, (t) =>
      report(t, [{ method: 'GET', path: `${COLLECTION}?q=e&include_count=true`, token }], 200))

    it(`updates an agent whose row is locked for ${LOCKED_SECONDS} s with 200 callers`, async (t) => {
      const blocker = new Client({ connectionString: first.database.url })
      await blocker.connect()
      await blocker.query('BEGIN')
      await blocker.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [flooder.agents[0]])
      try {
        await report(t, updates.slice(0, 1), 200, LOCKED_SECONDS)
      } finally {
        await blocker.end()
      }
    })
  })

  it('refuse what exceeds their capacity three times, serve the rest, and recover', async (t) => {
    const teams: Team[] = []
    for (let n = 0; n < 20; n++) teams.push(await createTeam(first, 5))
    const requests = teams.flatMap(({ token, agents }) =>
      agents.flatMap((id) => [
        updateOf(id, token),
        { method: 'GET', path: `${COLLECTION}/${id}`, token } as const,
      ]),
    )
    // The host may have paused the machine during one of them.
    const perSecond = Math.max(await measureCapacity(urls, requests), await measureCapacity(urls, requests))
    const observers = [first, second].map(observeMemory)
    const all = await sendAtRate({
      urls,
      requests,
      perSecond: 3 * perSecond,
      seconds: OVERLOADED_SECONDS,
      connections: CONNECTIONS,
    })
    const recoveredMs = await measureRecovery()
    const mostMiB = observers.map(({ stop }) => stop() / 2 ** 20)

    const sent = all.filter(({ status }) => status !== 'not sent')
    const accepted = sent.filter(({ status }) => status === 200)
    const refused = sent.filter(({ status }) => status === 429 || status === 503)
    const offeredSeconds = (all.at(-1)?.atMs ?? 0) / 1_000
    const p99 = (some: Sent[]) =>
      quantile(
        some.map(({ tookMs }) => tookMs),
        0.99,
      )
    t.diagnostic(
      `capacity ${perSecond}/s; offered ${Math.round(all.length / offeredSeconds)}/s with ${CONNECTIONS} connections: ${all.length - sent.length} found none, ${accepted.length} accepted, p99 ${ms(p99(accepted))}; ` +
        `${refused.length} refused, p99 ${ms(p99(refused))}; memory at most ` +
        `${mostMiB.map(Math.round).join(' and ')} MiB; recovered after ${ms(recoveredMs)}`,
    )
    const others = sent.filter(({ status }) => status !== 200 && status !== 429 && status !== 503)
    t.diagnostic(`${others.length} other responses: ${JSON.stringify(others.slice(0, 5))}`)
    assert.ok(accepted.length > 0 && refused.length > 0)
    if (!IS_LONG) return
    assert.equal(others.length, 0, 'every response is a success or a refusal')
    assert.ok(p99(accepted) <= 2_000 * SLACK, 'accepted requests take less than 2 s')
    assert.ok(Math.max(...mostMiB) <= 1_024, 'memory stays within its limit')
    assert.ok(recoveredMs <= 5_000 * SLACK, 'they recover within 5 s')
  })
})

const ms = (value: number | undefined) => `${value?.toFixed(1) ?? '–'} ms`

const updateOf = (id: string, token: string) =>
  ({ method: 'PUT', path: `${COLLECTION}/${id}`, token, body: '{"purpose":"{n}"}' }) as const

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

async function createTeam(running: RunningConsole, agents: number): Promise<Team> {
  const token = await running.token({ team: randomUUID() })
  const create = async () => {
    const response = await fetch(`${running.url}${COLLECTION}`, {
      method: 'POST',
      headers: headersOf(token),
      body: JSON.stringify({ agent_name: 'Agent', model_name: 'model' }),
    })
    assert.equal(response.status, 201, 'an agent is created')
    const { id } = (await response.json()) as { id: string }
    return id
  }
  const ids: string[] = []
  for (let n = 0; n < agents; n++) ids.push(await create())
  return { token, agents: ids }
}

/** Adds copies of an agent to its team. */
async function growTeam({ database }: RunningConsole, team: Team, agents: number): Promise<void> {
  await database.query(
    `INSERT INTO agents
     SELECT copy.* FROM agents a, generate_series(1, $2::int) AS n, json_populate_record(
       a, json_build_object('id', gen_random_uuid(), 'agent_name', 'Invoice helper ' || n)
     ) AS copy
     WHERE a.id = $1`,
    [team.agents[0], agents],
  )
  await database.query('ANALYZE agents')
}

/** Requests per second that 64 callers get answered, who do not wait between them. */
async function measureCapacity(urls: string[], requests: FloodRequest[]): Promise<number> {
  const flood = await startFlood({ urls, requests, callers: 64 })
  await sleep(SECONDS * 1_000)
  const { 200: answered = 0 } = await flood.stop()
  return Math.round(answered / SECONDS)
}
