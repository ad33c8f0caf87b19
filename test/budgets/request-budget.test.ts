import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { PermitGrant, RequestBudget } from '../../src/contract/request-budget.ts'
import { COLLECTION, codeOf, createAgent, putAgent } from '../support/agents.ts'
import { type Person, type Reply, useConsole, useReplica } from '../support/console.ts'
import { useConsoleWithNats } from '../support/console-with-nats.ts'
import { useRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

describe('the request budget of an agent', async () => {
  const redis = await useRedis()
  let stoppedAt: number | undefined
  const { running } = await useConsoleWithNats({
    environment: redis.environment,
    overrides: { now: () => stoppedAt ?? Date.now() },
  })
  const person = await running.person()
  const { now, metrics } = running.deps

  const pathOf = (id: string) => `${COLLECTION}/${id}/request-budget`
  const newAgent = async (limit: number) =>
    (await createAgent(running, person, { rate_limit_requests_per_minute: limit })).id
  const take = (
    id: string,
    json: object,
    at = running,
    { token }: Person = person,
  ): Promise<Reply<PermitGrant>> => at.request('POST', pathOf(id), { token, json })
  const read = async (id: string): Promise<RequestBudget> =>
    (await running.request('GET', pathOf(id), { token: person.token })).body
  const hasMetric = async (line: string) =>
    (await metrics.registry.metrics()).includes(`console_request_budget_${line}\n`)
  const interactive = { count: 1, priority: 'interactive' }

  await until('Redis responds', () => running.deps.redis?.isUp() ?? false)

  it('follows a change of the limit as soon as its event is there', async () => {
    const id = await newAgent(60)
    await take(id, interactive)
    await putAgent(running, person, id, { rate_limit_requests_per_minute: 6_000 })
    // Without the table a limit that is remembered stays in use, whatever its age, and one that is forgotten cannot be read.
    await running.database.query('ALTER TABLE agents RENAME TO hidden_agents')
    try {
      await until('the old limit is forgotten', async () => (await take(id, interactive)).status === 500)
    } finally {
      await running.database.query('ALTER TABLE hidden_agents RENAME TO agents')
    }
    const { headers } = await take(id, interactive)
    assert.equal(headers.get('ratelimit-policy'), '"agent";q=6000;w=60;console-burst=1000')
    await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
    await until('it is gone', async () => (await take(id, interactive)).status === 404)
  })

  it('keeps part of the burst for higher priorities', async () => {
    // A burst of 1,000, of which some come back during the test.
    const id = await newAgent(6_000)
    const refusedAt = async (priority: string) => {
      let taken = 0
      while ((await take(id, { count: 50, priority })).status === 200) taken += 50
      return taken
    }
    const [redTeam, evaluation, protection] = [
      await refusedAt('red_team'),
      await refusedAt('evaluation'),
      await refusedAt('protection'),
    ]
    assert.ok(redTeam >= 400 && evaluation > 0 && protection > 0, `${redTeam}, ${evaluation}, ${protection}`)
    const { remaining } = await read(id)
    assert.ok(remaining && remaining.interactive < 600, 'red_team had left 60 % to the others')
    assert.deepEqual([remaining.evaluation, remaining.red_team], [0, 0])
  })

  it('is shown with the use of the last hour, by application and priority', async () => {
    const id = await newAgent(600)
    await take(id, { count: 3, priority: 'evaluation' })
    await take(id, { count: 2, priority: 'evaluation' })
    await take(id, interactive)
    const { remaining, use_since: since, ...shown } = await read(id)
    // The issuer of the tests names the application so.
    const use = { service: null, client_id: `${person.user}.${person.team}` }
    assert.deepEqual(shown, {
      ...{ agent_id: id, limit: 600, burst: 100, counted_by: 'redis' },
      use: [
        { ...use, priority: 'evaluation', permits: 5 },
        { ...use, priority: 'interactive', permits: 1 },
      ],
    })
    assert.ok(remaining && remaining.interactive >= 94 && remaining.interactive <= 100)
    assert.equal(remaining.interactive - remaining.red_team, 60)
    const ageS = now() / 1_000 - since
    assert.ok(ageS >= 3_600 && ageS <= 3_910, `${ageS}`)
  })

  it('leaves keys in Redis that expire, and few of them for many applications', async (t) => {
    // Use is counted in parts of five minutes, and another one must not begin meanwhile.
    stoppedAt = Date.now()
    t.after(() => (stoppedAt = undefined))
    const id = await newAgent(600)
    await take(id, interactive)
    const keys = (await redis.keys()).filter((key) => key.includes(id))
    const [use = '', state] = keys.toSorted((a, b) => b.length - a.length)
    assert.deepEqual([keys.length, state], [2, `budget:{${person.team}:${id}}`])
    const ttl = async (key: string) => Number(await redis.send(['PTTL', redis.prefix + key]))
    assert.ok((await ttl(state ?? '')) > 0 && (await ttl(state ?? '')) <= 61_000)
    assert.ok((await ttl(use)) > 0 && (await ttl(use)) <= 3_900_000)
    const others = Array.from({ length: 200 }, (_, n) => [`interactive:c:other-${n}`, '1']).flat()
    await redis.send(['HSET', redis.prefix + use, ...others.slice(0, 198)])
    for (const scope of ['evaluation:write', 'evaluation:write agent:read']) {
      const other = await running.person({ team: person.team, scope })
      assert.equal((await take(id, interactive, running, other)).status, 200)
    }
    assert.equal(Number(await redis.send(['HLEN', redis.prefix + use])), 101)
    const unnamed = (await read(id)).use.find(({ client_id: client }) => client === null)
    assert.equal(unnamed?.permits, 2)
  })

  it('lets a request wait for its permits, and refuses one that would wait too long', async () => {
    // A permit every 200 ms, and a burst of 50.
    const id = await newAgent(300)
    assert.equal((await take(id, { ...interactive, count: 50 })).status, 200)
    const waiting = Array.from({ length: 4 }, () => take(id, { ...interactive, max_wait_ms: 5_000 }))
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    assert.deepEqual(statuses, [200, 200, 200, 200])
    assert.equal((await take(id, { ...interactive, count: 40, max_wait_ms: 100 })).status, 429)
    assert.ok(await hasMetric('waiting 0'))
  })

  it('gives no permits to a client that disconnects while it waits', async () => {
    // A permit every second, and a burst of 10.
    const id = await newAgent(60)
    await take(id, { ...interactive, count: 10 })
    const leaving = new AbortController()
    const waiting = fetch(running.url + pathOf(id), {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...interactive, count: 5, max_wait_ms: 5_000 }),
    })
    await until('it waits', () => hasMetric('waiting 1'))
    leaving.abort()
    await assert.rejects(waiting)
    await until('it waits no longer', () => hasMetric('waiting 0'))
    await until('nothing more was taken', async () => (await read(id)).use[0]?.permits === 10)
  })

  it('gets the permits back that it granted after the client had disconnected', async () => {
    const id = await newAgent(600)
    const locker = new Client({ connectionString: running.database.url })
    await locker.connect()
    // The limit cannot be read before the lock is released.
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE agents')
    const connection = once(running.app.server, 'connection')
    const taking = httpRequest(running.url + pathOf(id), {
      ...{ method: 'POST', agent: false },
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    })
    taking.on('error', () => {}).end(JSON.stringify({ ...interactive, count: 5 }))
    const [socket] = (await connection) as [Socket]
    await until('it waits', async () => (await waitingForLock(running.database)).length > 0)
    const closed = once(socket, 'close')
    taking.destroy()
    await closed
    await locker.query('COMMIT')
    await locker.end()
    await until('the permits are back', () => hasMetric('refunds_total 5'))
    await until('the use is 0', async () => (await read(id)).use.length === 0)
  })

  it('refuses a number of permits that the burst never has', async () => {
    const id = await newAgent(60)
    for (const [priority, most] of [
      ['interactive', 10],
      ['red_team', 4],
    ] as const) {
      const { status, body } = await take(id, { count: most + 1, priority })
      const msg = `Value error, the burst of this agent has ${most} permits at this priority`
      assert.equal(status, 422)
      assert.deepEqual(body, { detail: [{ loc: ['body', 'count'], msg, type: 'value_error' }] })
    }
  })

  it('does not exist for a limit above 60 million', async () => {
    const id = await newAgent(2_147_483_647)
    const { status, body, headers } = await take(id, { ...interactive, count: 1_000 })
    assert.deepEqual([status, body.remaining, headers.get('ratelimit')], [200, null, null])
    const { burst, remaining, use } = await read(id)
    assert.deepEqual([burst, remaining, use], [null, null, []])
  })

  it('needs evaluation:write to take and agent:read to see', async () => {
    const id = await newAgent(60)
    const { team } = person
    const reader = await running.person({ team, scope: 'agent:read' })
    const tester = await running.person({ team, scope: 'evaluation:write' })
    assert.equal((await take(id, interactive, running, reader)).status, 403)
    assert.equal((await take(id, interactive, running, tester)).status, 200)
    assert.equal((await running.request('GET', pathOf(id), { token: reader.token })).status, 200)
    assert.equal((await running.request('GET', pathOf(id), { token: tester.token })).status, 403)
  })
})

describe('the request budget of an agent with two replicas', async () => {
  const redis = await useRedis()
  const running = await useConsole({ environment: redis.environment })
  const replica = await useReplica(running)
  const person = await running.person()
  const newAgent = async (limit: number) =>
    (await createAgent(running, person, { rate_limit_requests_per_minute: limit })).id
  const interactive = { count: 1, priority: 'interactive' }
  const take = (id: string, json: object, at = running): Promise<Reply<PermitGrant>> =>
    at.request('POST', `${COLLECTION}/${id}/request-budget`, { token: person.token, json })

  await until('Redis responds', () => running.deps.redis?.isUp() ?? false)

  it('is shared by both, and says in RateLimit what is left', async () => {
    // A burst of 2, and a permit every 8.6 seconds.
    const id = await newAgent(7)
    const replies = [await take(id, interactive), await take(id, interactive, replica)]
    assert.deepEqual(
      replies.map(({ status, body }) => ({ status, ...body })),
      [
        { status: 200, granted: 1, remaining: 1, counted_by: 'redis' },
        { status: 200, granted: 1, remaining: 0, counted_by: 'redis' },
      ],
    )
    const refused = await take(id, interactive, replica)
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'request_budget_exceeded'])
    for (const { headers } of [...replies, refused]) {
      assert.equal(headers.get('ratelimit-policy'), '"agent";q=7;w=60;console-burst=2')
    }
    assert.match(replies[0]?.headers.get('ratelimit') ?? '', /^"agent";r=1;t=[1-9]$/)
    const seconds = refused.headers.get('retry-after')
    assert.match(seconds ?? '', /^[1-9]$/)
    assert.equal(refused.headers.get('ratelimit'), `"agent";r=0;t=${seconds}`)
  })
})
