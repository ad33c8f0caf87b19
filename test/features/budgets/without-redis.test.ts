import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent } from '../../support/agents.ts'
import { closeAfter } from '../../support/close-after.ts'
import { type TestConsole, useConsole } from '../../support/console.ts'
import { startPrivateRedis } from '../../support/private-redis.ts'
import { until } from '../../support/until.ts'

const interactive = { count: 1, priority: 'interactive' }

async function usersOf(running: TestConsole) {
  const person = await running.person()
  const newAgent = async (limit: number) =>
    (await createAgent(running, person, { rate_limit_requests_per_minute: limit })).id
  const at = (id: string) => `${COLLECTION}/${id}/request-budget`
  return {
    person,
    newAgent,
    take: (id: string, json: object = interactive) =>
      running.request('POST', at(id), { token: person.token, json }),
    read: (id: string) => running.request('GET', at(id), { token: person.token }),
    health: () => running.request('GET', '/health/ready'),
    metrics: () => running.core.metrics.registry.metrics(),
  }
}

describe('a replica without Redis', async () => {
  const running = await useConsole({ environment: { REQUEST_BUDGET_REPLICAS: '4' } })
  const { newAgent, take, read, health, metrics } = await usersOf(running)

  it('counts its own share of each limit, and says so', async () => {
    const id = await newAgent(1)
    const replies = [await take(id), await take(id)]
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('ratelimit')]),
      [
        [200, '"agent";r=0'],
        [429, '"agent";r=0'],
      ],
    )
    assert.equal(replies[0]?.body.counted_by, 'replica')
    // One in a minute for four replicas is one in four minutes for each.
    assert.match(replies[1]?.headers.get('retry-after') ?? '', /^2[0-4]\d$/)
    const { body } = await read(id)
    assert.deepEqual([body.limit, body.burst, body.counted_by], [1, 1, 'replica'])
    // A burst of 1,000, of which this replica has 250.
    const large = await newAgent(6_000)
    const statuses = [(await take(large, { ...interactive, count: 251 })).status]
    statuses.push((await take(large, { ...interactive, count: 250 })).status)
    assert.deepEqual(statuses, [429, 200])
    assert.deepEqual((await health()).body.request_budgets, { counted_by: 'replica' })
    assert.doesNotMatch(await metrics(), /console_redis_/)
  })

  it('needs no database while the limit is known', async () => {
    const [id, other] = [await newAgent(6_000), await newAgent(6_000)]
    await take(id)
    await running.database.query('ALTER TABLE agents RENAME TO hidden_agents')
    try {
      assert.equal((await take(id)).status, 200)
      assert.equal((await take(other)).status, 500)
    } finally {
      await running.database.query('ALTER TABLE hidden_agents RENAME TO agents')
    }
    assert.equal((await take(other)).status, 200)
  })
})

describe('a replica that loses Redis', async () => {
  const redis = await startPrivateRedis()
  closeAfter(() => redis.remove())
  const running = await useConsole({
    environment: { REDIS_URL: redis.url, REQUEST_BUDGET_REPLICAS: '2' },
    limits: { redisMaxWaitMs: 50 },
  })
  const { newAgent, take, read, health, metrics } = await usersOf(running)
  const isCountedBy = async (id: string, by: string) => (await take(id)).body.counted_by === by
  const grantedByReplica = async () =>
    Number(
      /outcome="granted",priority="interactive",counted_by="replica"\} (\d+)$/m.exec(await metrics())?.[1] ??
        0,
    )
  const stateChanges = () => running.logLines.filter((line) => /"msg":"Redis /.test(line)).length

  it('goes on with its share, takes over the debt, and counts in Redis again when it is back', async () => {
    const id = await newAgent(1)
    await until(
      'Redis counts',
      async () => (await take(id)).headers.get('ratelimit')?.includes(';t=') ?? false,
    )
    while ((await take(id)).status === 200);
    const changes = stateChanges()
    const grantedBefore = await grantedByReplica()
    await redis.kill()
    await until('it has noticed', () => running.core.redis?.isUp() === false)
    const lost = await take(id)
    assert.deepEqual([lost.status, lost.headers.get('ratelimit')], [429, '"agent";r=0'])
    const other = await take(await newAgent(120), { ...interactive, count: 5 })
    assert.deepEqual([other.status, other.headers.get('ratelimit')], [200, '"agent";r=5'])
    assert.equal((await read(id)).body.counted_by, 'replica')
    // A busy database makes a replica degraded; Redis does not.
    await until('the replica is ready', async () => {
      const { body } = await health()
      assert.equal(body.request_budgets.counted_by, 'replica')
      return body.status === 'ready'
    })
    assert.match(await metrics(), /^console_redis_up 0$/m)
    assert.equal(await grantedByReplica(), grantedBefore + 5)
    assert.match(await metrics(), /^console_redis_failures_total\{cause="offline"\} [1-9]/m)

    await redis.start()
    const fresh = await newAgent(60_000)
    await until('Redis counts again', () => isCountedBy(fresh, 'redis'))
    assert.match(await metrics(), /^console_redis_up 1$/m)
    assert.equal(stateChanges(), changes + 2, 'one log line for each change of the state')
  })

  it('does not wait long for a Redis that hangs, and soon does not ask it', async () => {
    const id = await newAgent(60_000_000)
    await until('Redis counts', () => isCountedBy(id, 'redis'))
    redis.pause()
    try {
      for (let n = 0; n < 3; n++) {
        const replies = await Promise.all(Array.from({ length: 20 }, () => take(id)))
        assert.ok(replies.every(({ status, body }) => status === 200 && body.counted_by === 'replica'))
      }
      assert.match(await metrics(), /^console_redis_failures_total\{cause="slow"\} [1-9]/m)
      assert.match(await metrics(), /^console_redis_failures_total\{cause="breaker"\} [1-9]/m)
      assert.equal(running.core.redis?.isUp(), false)
    } finally {
      redis.resume()
    }
    await until('Redis counts again', () => isCountedBy(id, 'redis'))
  })

  it('loads its script again into a Redis that has forgotten it', async () => {
    const id = await newAgent(60_000)
    await redis.kill()
    await redis.start()
    await until('Redis counts again', () => isCountedBy(id, 'redis'))
  })
})
