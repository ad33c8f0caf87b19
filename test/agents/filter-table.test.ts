import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { fillStep } from '../../src/agents/list/readiness.ts'
import { COLLECTION, codeOf, createAgent, putAgent } from '../support/agents.ts'
import { type Person, startConsole, useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'
import { makeVariedAgents } from '../support/varied-agents.ts'

const START = '00000000-0000-0000-0000-000000000000'
const FIRST_TEAM = '10000000-0000-4000-8000-000000000000'
const LAST_TEAM = 'f0000000-0000-4000-8000-000000000000'

/** What needs the table of filters. */
const NEW_REQUESTS = ['?tags=x', '?model_names=x', '?sort=score', '?min_score=1', '/facets', '/export']
const OLD_REQUESTS = ['', '?statuses=active&sort=agent_name', '?q=agent', '?include_count=true']

describe('the table of filters', async () => {
  const running = await useConsole()
  const { query, url } = running.database
  const { system } = running.deps.database
  const first = await running.person({ team: FIRST_TEAM })
  const last = await running.person({ team: LAST_TEAM })
  await makeVariedAgents(running, first, 40)
  await makeVariedAgents(running, last, 40)

  /** Whether each agent has exactly the row that the database computes for it. */
  const difference = async () => {
    const rows = await query(`
      (SELECT 'missing' AS problem, f.id FROM agents a, filter_row(a) f EXCEPT SELECT 'missing', id FROM agent_filters)
      UNION ALL
      (SELECT 'wrong', id FROM (SELECT * FROM agent_filters EXCEPT SELECT f.* FROM agents a, filter_row(a) f) w)`)
    return rows
  }
  const rowOf = async (id: string) => (await query('SELECT * FROM agent_filters WHERE id = $1', [id]))[0]
  /** As after an upgrade from a version without the table. */
  const empty = async () => {
    await query('TRUNCATE agent_filters')
    await query('UPDATE agent_filters_progress SET is_done = false, team_id = $1, id = $1', [START])
  }
  const send = (person: Person, path: string) =>
    running.request('GET', COLLECTION + path, { token: person.token })

  it('has the row of each agent after any change', async () => {
    assert.deepEqual(await difference(), [])
    const [count] = await query<{ n: number }>('SELECT count(*)::int AS n FROM agent_filters')
    assert.equal(count?.n, 80)
  })

  it('follows each field that a filter uses, changed by itself', async () => {
    const { id } = await createAgent(running, first)
    const send = async (path: string, json: object) => {
      const before = await rowOf(id)
      const reply = await running.request('PUT', `${COLLECTION}/${id}${path}`, { token: first.token, json })
      assert.equal(reply.status, 200, reply.text)
      assert.notDeepEqual(await rowOf(id), before, JSON.stringify(json))
      assert.deepEqual(await difference(), [], JSON.stringify(json))
    }
    await send('', { status: 'draft' })
    await send('', { protection_status: 'guarded' })
    await send('', { access_level: 'white_box' })
    await send('', { protocol: 'a2a' })
    await send('', { model_name: 'another' })
    await send('', { hub: 'another' })
    await send('', { agent_name: 'another' })
    await send('', { agent_metadata: { tags: ['another'] } })
    await send('/lifecycle', { trust_stage: 'trusted' })
    const evaluation = { evaluation_id: id, revision: 10 }
    await send('/latest-evaluation', { ...evaluation, overall_score: 0.5 })
    await send('/latest-evaluation', { ...evaluation, overall_score: 0.6 })
    // The evaluation is outdated now.
    await send('', { agent_system_prompt: 'another' })
  })

  it('is not written by a change that no filter can see', async () => {
    const { id } = await createAgent(running, first)
    const version = async () =>
      (await query('SELECT xmin::text, xmax::text FROM agent_filters WHERE id = $1', [id]))[0]
    const before = await version()
    await putAgent(running, first, id, { purpose: 'x', agent_system_prompt: 'y', agent_url: 'https://z' })
    await putAgent(running, first, id, { api_key: 'secret', rate_limit_requests_per_minute: 7 })
    assert.deepEqual(await version(), before)
    await putAgent(running, first, id, { hub: 'another' })
    assert.notDeepEqual(await version(), before)
  })

  it('is filled in steps after an upgrade, team by team; until then only what needs it is refused', async (t) => {
    const upgraded = await startConsole()
    t.after(() => upgraded.close())
    const people = [await upgraded.person({ team: FIRST_TEAM }), await upgraded.person({ team: LAST_TEAM })]
    const [one, other] = people as [Person, Person]
    for (const person of people) await makeVariedAgents(upgraded, person, 300)
    await upgraded.database.query('TRUNCATE agent_filters')
    await upgraded.database.query(
      'UPDATE agent_filters_progress SET is_done = false, team_id = $1, id = $1',
      [START],
    )
    const statuses = (person: Person, paths: string[]) =>
      Promise.all(
        paths.map(async (path) => {
          const reply = await upgraded.request('GET', COLLECTION + path, { token: person.token })
          if (reply.status === 200) return 200
          assert.equal(codeOf(reply), 'filters_not_ready')
          assert.equal(reply.headers.get('retry-after'), '30')
          return reply.status
        }),
      )
    const all = (paths: string[], status: number) => paths.map(() => status)

    assert.deepEqual(await statuses(one, NEW_REQUESTS), all(NEW_REQUESTS, 503))
    assert.deepEqual(await statuses(one, OLD_REQUESTS), all(OLD_REQUESTS, 200))
    // Writes go on.
    const [any] = await upgraded.database.query<{ id: string }>(
      'SELECT id FROM agents WHERE team_id = $1 LIMIT 1',
      [one.team],
    )
    await putAgent(upgraded, one, any?.id as string, { hub: 'before its step' })
    await createAgent(upgraded, other)

    assert.equal(await fillStep(upgraded.deps.database.system), true)
    assert.deepEqual(await statuses(one, NEW_REQUESTS), all(NEW_REQUESTS, 200))
    assert.deepEqual(await statuses(other, NEW_REQUESTS), all(NEW_REQUESTS, 503))
    assert.equal(await fillStep(upgraded.deps.database.system), false)
    assert.deepEqual(await statuses(other, NEW_REQUESTS), all(NEW_REQUESTS, 200))
    const [count] = await upgraded.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM agent_filters',
    )
    assert.equal(count?.n, 601)
  })

  it('has no row of an agent that is deleted while it is filled', async () => {
    const { id } = await createAgent(running, first, { agent_name: 'deleted meanwhile' })
    await empty()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT fill_agent_filters(1000)')
    const deleting = running.request('DELETE', `${COLLECTION}/${id}`, { token: first.token })
    await until('the deletion waits', async () => {
      const waiting = await query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
      return waiting.length > 0
    })
    await client.query('COMMIT')
    await client.end()
    assert.equal((await deleting).status, 204)
    assert.deepEqual(await difference(), [])
  })

  it('is filled while agents change', async () => {
    await empty()
    let isFilling = true
    const filling = (async () => {
      while (
        await system
          .read<{ more: boolean }>({
            name: undefined,
            text: 'SELECT fill_agent_filters(7) AS more',
            values: [],
          })
          .then(([row]) => row?.more)
      );
      isFilling = false
    })()
    const change = async (person: Person) => {
      for (let n = 0; isFilling || n < 5; n++) {
        const { id } = await createAgent(running, person, { agent_metadata: { tags: [`${n}`] } })
        await putAgent(running, person, id, { status: 'draft' })
        if (n % 2) await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
      }
    }
    await Promise.all([filling, change(first), change(last)])
    assert.deepEqual(await difference(), [])
    assert.equal((await send(first, '/facets')).status, 200)
  })
})
