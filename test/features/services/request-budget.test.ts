import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { COLLECTION, codeOf, createAgent } from '../../support/agents.ts'
import type { Behind } from '../../support/behind.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { useRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

describe('a mounted operation that names its agent', async () => {
  const redis = await useRedis()
  const { running, behind, upstream } = await useMounted({
    environment: redis.environment,
    budgetPriority: 'evaluation',
    operations: [
      operation({ path: '/v1/things/{kind}/{id}', agent: { in: 'path', name: 'id' } }),
      operation({ path: '/v1/by-query', agent: { in: 'query', name: 'agent_id' } }),
      operation({
        ...{ path: '/v1/by-header', agent: { in: 'header', name: 'x-agent' } },
        ...{ requestHeaders: ['x-agent'], responseHeaders: ['ratelimit'] },
      }),
      operation({ path: '/v1/free/{id}' }),
    ],
  })
  const things = behind['things'] as Behind
  const person = await running.person()
  await until('Redis responds', () => running.core.redis?.isUp() ?? false)

  const newAgent = async (limit: number) =>
    (await createAgent(running, person, { rate_limit_requests_per_minute: limit })).id
  const call = (path: string, headers: Record<string, string> = {}, { token } = person) =>
    running.request('GET', path, { token, headers })
  /** Permits that are left for the most urgent calls. */
  const leftOf = async (id: string): Promise<number> =>
    (await call(`${COLLECTION}/${id}/request-budget`)).body.remaining.interactive

  /** Permits of all agents that were granted and not given back. */
  const usedPermits = async () => {
    const text = await running.core.metrics.registry.metrics()
    const sum = (line: RegExp) =>
      [...text.matchAll(line)].reduce((total, [, value]) => total + Number(value), 0)
    const granted = sum(/^console_request_budget_permits_total\{outcome="granted".*\} (\d+)$/gm)
    return granted - sum(/^console_request_budget_refunds_total (\d+)$/gm)
  }

  beforeEach(() => {
    things.asked.length = 0
    things.behave((_request, response) => response.setHeader('ratelimit', '"theirs";r=9').end('{}'))
  })

  it('takes one permit of its service’s priority for each call, and answers 429 by itself', async () => {
    const id = await newAgent(1)
    const passed = await call(`/v1/things/small/${id.toUpperCase()}`)
    assert.equal(passed.status, 200)
    assert.equal(passed.headers.get('ratelimit-policy'), '"agent";q=1;w=60;console-burst=1')
    assert.match(passed.headers.get('ratelimit') ?? '', /^"agent";r=0;t=\d+$/)
    const refused = await call(`/v1/things/large/${id}`)
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'request_budget_exceeded'])
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(refused.headers.get('ratelimit') ?? '', /^"agent";r=0;t=\d+$/)
    assert.equal(things.asked.length, 1)
    assert.match(
      await running.core.metrics.registry.metrics(),
      /^console_request_budget_permits_total\{outcome="granted",priority="evaluation",counted_by="redis"\} 1$/m,
    )
  })

  it('reads the agent from the query or a header, and refuses a request that has it twice', async () => {
    const id = await newAgent(600)
    assert.match((await call(`/v1/by-query?x=1&agent_id=${id}`)).headers.get('ratelimit') ?? '', /"agent"/)
    const byHeader = await call('/v1/by-header', { 'X-Agent': id })
    assert.match(byHeader.headers.get('ratelimit') ?? '', /^"agent";r=\d+;t=\d+$/, 'not that of the service')
    const twice = await call(`/v1/by-query?agent_id=${id}&agent%5Fid=${randomUUID()}`)
    assert.deepEqual([twice.status, codeOf(twice)], [400, 'bad_request'])
    assert.equal(things.asked.length, 2)
  })

  it('is forwarded without a budget for an agent of another team, one that does not exist, and no id', async () => {
    const id = await newAgent(1)
    const stranger = await running.person()
    const replies = [
      await call(`/v1/things/small/${id}`, {}, stranger),
      await call(`/v1/things/small/${id}`, {}, stranger),
      await call(`/v1/things/small/${randomUUID()}`),
      await call('/v1/things/small/7'),
      await call('/v1/by-query'),
      await call(`/v1/free/${id}`),
    ]
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('ratelimit-policy')]),
      replies.map(() => [200, null]),
    )
    assert.equal(things.asked.length, 6)
    assert.equal(await leftOf(id), 1)
  })

  it('gives the permit back if the call was not sent, and keeps it if it was', async () => {
    const id = await newAgent(6_000)
    // The failures of one team alone do not open the breaker.
    const other = await running.person()
    const { id: othersId } = await createAgent(running, other, { rate_limit_requests_per_minute: 6_000 })
    const before = await usedPermits()
    things.behave((_request, response) => response.writeHead(500).end())
    const statuses: number[] = []
    await until('the breaker is open', async () => {
      statuses.push((await call(`/v1/things/small/${othersId}`, {}, other)).status)
      statuses.push((await call(`/v1/things/small/${id}`)).status)
      return statuses.at(-1) === 503
    })
    const sent = statuses.filter((status) => status === 502).length
    assert.equal(await usedPermits(), before + sent, 'the permits of the others are back')
    const idle = await newAgent(1)
    assert.equal((await call(`/v1/things/small/${idle}`)).status, 503)
    await until('its only permit is back', async () => (await leftOf(idle)) === 1)
    assert.match(
      await running.core.metrics.registry.metrics(),
      /^console_request_budget_refunds_total [1-9]/m,
    )
    things.behave((_request, response) => response.end('{}'))
    await until('the breaker is closed', async () => (await call('/v1/free/7')).status === 200)
    assert.equal(upstream('things').breaker(), 'closed')
  })

  it('is forwarded and counted as such while the limit cannot be read', async () => {
    const id = await newAgent(1)
    await running.database.query('ALTER TABLE agents RENAME TO hidden_agents')
    try {
      for (const expected of [1, 2]) {
        assert.equal((await call(`/v1/things/small/${id}`)).status, 200)
        const metrics = await running.core.metrics.registry.metrics()
        assert.ok(metrics.includes(`console_request_budget_uncounted_total ${expected}\n`))
      }
    } finally {
      await running.database.query('ALTER TABLE hidden_agents RENAME TO agents')
    }
    assert.match((await call(`/v1/things/small/${id}`)).headers.get('ratelimit') ?? '', /r=0/)
  })
})
