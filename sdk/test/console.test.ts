import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { useConsole } from '../../test/support/console.ts'
import { Console, isDescribedSkill, type LogEntry, Stale } from '../src/index.ts'

describe('the SDK on a console', async () => {
  const running = await useConsole()
  const connect = async () => {
    const { token } = await running.person()
    return { token, client: new Console({ baseUrl: running.url, token }) }
  }
  const AGENT = { agent_name: 'a', model_name: 'm', rate_limit_requests_per_minute: 1 }

  it('iterates over a list that grows and shrinks, each agent once', async () => {
    const { client } = await connect()
    const names = Array.from({ length: 12 }, (_, index) => `agent ${index}`)
    const ids = new Map<string, string>()
    for (const agent_name of names) {
      ids.set(agent_name, (await client.agents.create({ ...AGENT, agent_name })).agent.id)
    }
    const seen: string[] = []
    for await (const { agent, revision } of client.agents.iterate({ limit: 3, sort: 'created_at' })) {
      assert.equal(revision, 1)
      seen.push(agent.agent_name)
      if (seen.length > 12) continue
      await client.agents.create({ ...AGENT, agent_name: `new ${seen.length}` })
      if (seen.length === 4) await client.agents.delete(ids.get('agent 11') ?? '')
    }
    const expected = names.slice(0, -1)
    assert.deepEqual(seen.slice(0, 11), expected)
    assert.equal(new Set(seen).size, seen.length)
    // Those that were created during the iteration come after the others.
    assert.ok(seen.slice(11).every((name) => name.startsWith('new ')))
  })

  it('loses no edit of several writers', async () => {
    const { client } = await connect()
    const { agent } = await client.agents.create(AGENT)
    const increment = () =>
      client.agents.edit(agent.id, (current) => ({
        rate_limit_requests_per_minute: current.rate_limit_requests_per_minute + 1,
      }))
    const results = await Promise.allSettled(Array.from({ length: 8 }, increment))
    const refused = results.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[]) assert.ok(reason instanceof Stale)
    const { agent: last, revision } = await client.agents.get(agent.id)
    assert.equal(last.rate_limit_requests_per_minute, 1 + 8 - refused.length)
    assert.equal(revision, 1 + 8 - refused.length)
  })

  it('writes nothing if an edit returns nothing', async () => {
    const { client } = await connect()
    const { agent } = await client.agents.create(AGENT)
    assert.equal((await client.agents.edit(agent.id, () => undefined)).revision, 1)
  })

  it('returns what only headers hold', async () => {
    const { client } = await connect()
    const body = { ...AGENT, 'a, b': 1, created_at: 2, agent_system_prompt: 'password=hunter2hunter2' }
    const created = await client.agents.create(body, { requestId: 'my-request', reason: 'ÄÖ 100 %' })
    assert.equal(created.revision, 1)
    assert.equal(created.requestId, 'my-request')
    assert.deepEqual(created.ignoredFields.toSorted(), ['a, b', 'created_at'])
    const { results } = await client.agents.revisions(created.agent.id)
    assert.equal(results[0]?.reason, 'ÄÖ 100 %')
  })

  it('gives a list the members that were asked for', async () => {
    const { client } = await connect()
    await client.agents.create(AGENT)
    const { results, count } = await client.agents.list({ fields: ['agent_name'], include_count: true })
    assert.deepEqual(Object.keys(results[0] ?? {}), ['id', 'agent_name'])
    assert.equal(count, 1)
  })

  it('narrows a skill', async () => {
    const { client } = await connect()
    const skills = [{ id: 's', name: 'Search' }, { other: true }]
    const { agent } = await client.agents.create({ ...AGENT, protocol: 'a2a', skills })
    assert.deepEqual(
      agent.skills.filter(isDescribedSkill).map(({ name }) => name),
      ['Search'],
    )
  })

  it('shows the token in no printed object, error or log', async () => {
    const { token } = await running.person()
    const log: LogEntry[] = []
    const options = { token, logger: (entry: LogEntry) => void log.push(entry), retryDelayMs: 0 }
    const client = new Console({ ...options, baseUrl: running.url })
    const unreachable = new Console({ ...options, baseUrl: 'http://127.0.0.1:9' })
    const unusable = new Console({ ...options, baseUrl: running.url, token: `${token}\n` })
    const leaking = new Console({
      ...options,
      baseUrl: running.url,
      fetch: (_, init) => Promise.reject(Object.assign(new Error(inspect(init)), { init })),
    })
    const errors = await Promise.all(
      [
        client.agents.get('no-uuid'),
        client.agents.get('01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'),
        client.me({ timeoutMs: 0 }),
        client.me({ team: 'ü\n' }),
        unreachable.me(),
        unusable.me(),
        leaking.me(),
        new Console({ ...options, token: `${token}x`, baseUrl: running.url }).me(),
      ].map((call) =>
        call.then(
          () => assert.fail('It did not reject'),
          (error: unknown) => error,
        ),
      ),
    )
    const everything = [client, unusable, leaking, client.agents, client.request, errors, log]
    for (const shown of everything) {
      const text = inspect(shown, { depth: 12, showHidden: true, getters: true })
      assert.ok(!text.includes(token.slice(-40)), text.slice(0, 2_000))
    }
    assert.ok(!JSON.stringify([client, errors, log]).includes(token.slice(-40)))
  })
})
