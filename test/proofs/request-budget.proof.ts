import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../dev/free-port.ts'
import { startPrivateRedis } from '../support/private-redis.ts'
import { answers, type Process, startConsoleProcess, startProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { type AgentRequest, startAgentServices } from './agent-services.ts'

/** `npm run proof -- request-budget --long` takes 300 seconds. Redis is away in the middle third. */
const SECONDS = sized(12, 300)
/** Any minute; in the short form a shorter time, to which the limit applies in proportion. */
const WINDOW_MS = Math.min(60_000, (SECONDS * 1_000) / 5)
const REPLICAS = 4
const CALLERS = 200
const LIMIT = 600
const BURST = 100
const PAUSE_MS = 1_000
const SERVICES = { chat: 'interactive', tests: 'evaluation', attacks: 'red_team' }

interface Replica {
  url: string
  metricsUrl: string
}

describe('the request budget of an agent', () => {
  it(`holds for ${CALLERS} callers of ${REPLICAS} replicas, also while Redis is away`, async () => {
    await using ending = new AsyncDisposableStack()
    const redis = await startPrivateRedis()
    ending.defer(() => redis.remove())
    const services = await startAgentServices(SERVICES)
    ending.defer(() => services.close())
    const first = await startConsoleProcess({
      REDIS_URL: redis.url,
      REQUEST_BUDGET_REPLICAS: String(REPLICAS),
      SERVICES_FILE: services.file,
    })
    ending.defer(() => first.close())
    const others: Process[] = []
    ending.defer(async () => {
      for (const each of others) each.signal('SIGKILL')
      await Promise.all(others.map(({ ended }) => ended))
    })
    const callers = new AbortController()
    ending.defer(async () => callers.abort())
    const replicas: Replica[] = [first]
    for (let n = 1; n < REPLICAS; n++) replicas.push(await startReplica(first.environment, others))
    const token = await first.token()
    const headers = { authorization: `Bearer ${token}` }
    const created = await fetch(`${first.url}/v1/agent-configurations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        agent_name: 'A',
        model_name: 'm',
        rate_limit_requests_per_minute: LIMIT,
      }),
    })
    const { id } = (await created.json()) as { id: string }
    await Promise.all(replicas.map((replica) => isReady(replica, id, headers)))
    services.received.length = 0

    const names = Object.keys(SERVICES)
    const refused: string[] = []
    const calling = Array.from({ length: CALLERS }, async (_, n) => {
      const { url } = replicas[n % REPLICAS] as Replica
      await sleep((n / CALLERS) * PAUSE_MS)
      while (!callers.signal.aborted) {
        const path = `/v1/${names[n % names.length]}/${id}?sent=${performance.now()}`
        const response = await fetch(url + path, { headers })
        await response.arrayBuffer()
        if (response.status !== 200 && response.status !== 429) refused.push(`${response.status}`)
        await sleep(PAUSE_MS)
      }
    })
    const startedAt = performance.now()
    const phase = () => sleep((SECONDS * 1_000) / 3)
    await phase()
    await redis.kill()
    const killedAt = performance.now()
    await phase()
    const during = await Promise.all(replicas.map(readMetrics))
    await redis.start()
    const restartedAt = performance.now()
    await phase()
    callers.abort()
    await Promise.all(calling)

    const { received } = services
    const sent = (from: number, to: number) =>
      received.filter(({ sentAt, receivedAt }) => sentAt >= from && receivedAt < to)
    const expected = (LIMIT * WINDOW_MS) / 60_000
    const excess = (from: number, to: number) => mostInWindow(sent(from, to)) - expected
    const [before, without, all] = [
      excess(startedAt, killedAt),
      excess(killedAt, restartedAt),
      excess(startedAt, Number.POSITIVE_INFINITY),
    ]
    const byService = names.map((name) => received.filter(({ service }) => service === name).length)
    process.stdout.write(
      `${received.length} requests in ${SECONDS} s at ${LIMIT} a minute: ${names.map((name, n) => `${name} ${byService[n]}`).join(', ')}. ` +
        `Most above the limit in any ${WINDOW_MS / 1_000} s: ${before} with Redis, ${without} without, ${all} in all (burst ${BURST})\n`,
    )
    assert.deepEqual(refused, [])
    assert.ok(before <= BURST - 1, 'with Redis')
    assert.ok(without <= BURST, 'without Redis: the shares of the replicas have the same burst together')
    assert.ok(all <= 3 * BURST, 'a burst more when Redis goes, and one when it comes back empty')
    assert.ok(sent(killedAt, restartedAt).length > 0, 'calls go on without Redis')
    assert.ok(sent(restartedAt, Number.POSITIVE_INFINITY).length > 0, 'calls go on after it')
    const [chat = 0, tests = 0, attacks = 0] = byService
    assert.ok(chat > tests && tests >= attacks, 'by priority')
    for (const metrics of during) {
      assert.match(metrics, /^console_redis_up 0$/m)
      assert.match(metrics, /outcome="granted",priority="interactive",counted_by="replica"\} [1-9]/)
    }
  })
})

async function startReplica(environment: Record<string, string>, started: Process[]): Promise<Replica> {
  const [port, metricsPort] = await freePorts(2)
  const running = startProcess('src/main.ts', {
    ...environment,
    ...{ PORT: String(port), METRICS_PORT: String(metricsPort) },
  })
  started.push(running)
  const url = `http://127.0.0.1:${port}`
  await answers(`${url}/health/live`, running)
  return { url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }
}

const readMetrics = async ({ metricsUrl }: Replica) => (await fetch(metricsUrl)).text()

/** It has the documents of the services, and counts in Redis. */
async function isReady(replica: Replica, id: string, headers: Record<string, string>): Promise<void> {
  await until('the replica is ready', async () => {
    const paths = Object.keys(SERVICES).map((name) => `${replica.url}/v1/${name}/no-agent`)
    const replies = await Promise.all(paths.map((path) => fetch(path, { headers })))
    await Promise.all(replies.map((reply) => reply.arrayBuffer()))
    const budget = await fetch(`${replica.url}/v1/agent-configurations/${id}/request-budget`, { headers })
    const { counted_by: countedBy } = (await budget.json()) as { counted_by?: string }
    return replies.every(({ status }) => status === 200) && countedBy === 'redis'
  })
}

/** The most requests of which the console certainly let all pass within a window: the permit was taken after the caller had sent
 * the request and before the service got it. */
function mostInWindow(requests: AgentRequest[]): number {
  const counts = requests.map(
    ({ sentAt: from }) =>
      requests.filter(({ sentAt, receivedAt }) => sentAt >= from && receivedAt < from + WINDOW_MS).length,
  )
  return Math.max(0, ...counts)
}
