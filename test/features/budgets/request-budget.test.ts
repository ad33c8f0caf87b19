import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PermitGrant, RequestBudget } from '../../../src/features/budgets/schema.ts'
import { COLLECTION, codeOf, createAgent, putAgent } from '../../support/agents.ts'
import { type Person, type Reply, useConsole, useReplica } from '../../support/console.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import { useRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

describe('the request budget of an agent', async () => {
  const redis = await useRedis()
  const { running } = await useConsoleWithNats({ environment: redis.environment })
  const person = await running.person()

  const pathOf = (id: string) => `${COLLECTION}/${id}/request-budget`
  const newAgent = async (limit: number) =>
    (await createAgent(running, person, { rate_limit_requests_per_minute: limit })).id
  const take = (id: string, json: object, { token }: Person = person): Promise<Reply<PermitGrant>> =>
    running.request('POST', pathOf(id), { token, json })
  const read = async (id: string): Promise<RequestBudget> =>
    (await running.request('GET', pathOf(id), { token: person.token })).body
  const interactive = { count: 1, priority: 'interactive' }

  await until('Redis responds', () => running.core.redis?.isUp() ?? false)

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

  it('is shown with what is left at each priority', async () => {
    const id = await newAgent(600)
    await take(id, { count: 5, priority: 'evaluation' })
    const { remaining, ...shown } = await read(id)
    assert.deepEqual(shown, { agent_id: id, limit: 600, burst: 100, counted_by: 'redis' })
    assert.ok(remaining && remaining.interactive >= 95 && remaining.interactive <= 100)
    assert.equal(remaining.interactive - remaining.red_team, 60)
  })

  it('says with granted permits when there will be one more', async () => {
    // A permit every five seconds, and a burst of two.
    const limitAfter = async (count: number) =>
      (await take(await newAgent(12), { ...interactive, count })).headers.get('ratelimit')
    assert.equal(await limitAfter(1), '"agent";r=1;t=5')
    assert.equal(await limitAfter(2), '"agent";r=0;t=5')
  })

  it('leaves one key in Redis, which expires', async () => {
    const id = await newAgent(600)
    await take(id, interactive)
    const keys = (await redis.keys()).filter((key) => key.includes(id))
    assert.deepEqual(keys, [`budget:{${person.team}:${id}}`])
    const ttl = Number(await redis.send(['PTTL', redis.prefix + keys[0]]))
    assert.ok(ttl > 0 && ttl <= 61_000, `${ttl}`)
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
    const { burst, remaining } = await read(id)
    assert.deepEqual([burst, remaining], [null, null])
  })

  it('needs evaluation:write to take and agent:read to see', async () => {
    const id = await newAgent(60)
    const { team } = person
    const reader = await running.person({ team, scope: 'agent:read' })
    const tester = await running.person({ team, scope: 'evaluation:write' })
    assert.equal((await take(id, interactive, reader)).status, 403)
    assert.equal((await take(id, interactive, tester)).status, 200)
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

  await until('Redis responds', () => running.core.redis?.isUp() ?? false)

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
