import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { nameAfter, OPERATIONS_BY_ID } from '../support/isolation.ts'
import { sized } from '../support/sized.ts'

const ATTEMPTS = sized(1_000, 50_000)
const TEAMS = 50
const AT_ONCE = 16

const BULK_CHANGES = [
  { update: { agent_name: 'taken over' } },
  { lifecycle: { trust_stage: 'adapted' } },
  { delete: {} },
]
const BULK_QUERIES = ['', '?dry_run=true']

describe(`${TEAMS} teams`, async () => {
  const running = await useConsole()
  const people = await Promise.all(Array.from({ length: TEAMS }, () => running.person()))
  const made = await Promise.all(
    people.map(async (person, n) => {
      const { id } = await createAgent(running, person, {
        agent_name: `of team ${n}`,
        api_key: `canary-of-team-${n}`,
      })
      await createAgent(running, person, { agent_name: `of team ${n}` })
      await putAgent(running, person, id, { purpose: `of team ${n}` })
      await nameAfter(running, person, id)
      const page = async (path: string) =>
        (await running.request('GET', `${COLLECTION}${path}?limit=1`, { token: person.token })).body
          .next_cursor
      return { id, cursors: { list: await page(''), revisions: await page(`/${id}/revisions`) } }
    }),
  )
  const agents = made.map(({ id }) => id)
  const cursors = made.map((one) => one.cursors)

  /** Pages of each team: what their cursors lead to must belong to the same team. */

  const state = () =>
    running.database.query(`
      SELECT (SELECT md5(string_agg(a::text, '' ORDER BY id)) FROM agents a) AS agents,
        (SELECT count(*) FROM agent_revisions) AS revisions, (SELECT count(*) FROM outbox) AS events,
        (SELECT count(*) FROM idempotency_keys) AS keys, (SELECT count(*) FROM saved_views) AS views`)

  it(`read nothing and change nothing of each other in ${ATTEMPTS} attempts`, async (t) => {
    const before = await state()
    const operations = Object.entries(OPERATIONS_BY_ID)
    let next = 0
    const changeInBulk = async (n: number, token: string, foreign: string) => {
      const change = BULK_CHANGES[Math.floor(n / 5) % BULK_CHANGES.length]
      const query = BULK_QUERIES[Math.floor(n / 15) % BULK_QUERIES.length]
      const json = { agents: [{ id: foreign }], ...change }
      const reply = await running.request('POST', `${COLLECTION}/bulk${query}`, { token, json })
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(
        reply.body.results.map(({ id, error }: { id: string; error: { code: string } }) => [id, error.code]),
        [[foreign, 'agent_not_found']],
      )
      return reply.text
    }
    const attempt = async (n: number) => {
      const own = n % TEAMS
      const other = (own + 1 + (Math.floor(n / TEAMS) % (TEAMS - 1))) % TEAMS
      const token = people[own]?.token as string
      const foreign = agents[other] as string
      const kind = n % 5
      if (kind === 4) return changeInBulk(n, token, foreign)
      if (kind < 2) {
        const [operation, at] = operations[
          Math.floor(n / 5) % operations.length
        ] as (typeof operations)[number]
        const { path, options } = at(foreign)
        const extra = kind === 1 ? { 'if-match': '*', 'x-team-id': people[other]?.team as string } : {}
        const [method = ''] = operation.split(' ', 1)
        const reply = await running.request(method, path, { ...options, token, headers: extra })
        assert.equal(reply.status, 404, `${operation} ${reply.text}`)
        return reply.text
      }
      const { list, revisions } = cursors[other] as { list: string; revisions: string }
      const path =
        kind === 2
          ? `${COLLECTION}?limit=1&cursor=${list}`
          : `${COLLECTION}/${foreign}/revisions?limit=1&cursor=${revisions}`
      const headers = { 'x-team-id': people[other]?.team as string }
      const reply = await running.request('GET', path, { token, headers })
      assert.equal(reply.status, kind === 2 ? 200 : 404, reply.text)
      for (const agent of reply.body.results ?? []) assert.equal(agent.team_id, people[own]?.team)
      return reply.text
    }
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < ATTEMPTS) {
          const n = next++
          const text = await attempt(n)
          const mine = `of team ${n % TEAMS}"`
          assert.ok(!/of team \d+"/.test(text) || text.includes(mine), text)
          assert.ok(!text.includes('canary'))
        }
      }),
    )
    assert.deepEqual(await state(), before)
    t.diagnostic(
      `${ATTEMPTS} attempts by ${TEAMS} teams on ${operations.length} operations, cursors and revisions`,
    )
  })

  it('make their own agents even under the id, the team or the key of another', async () => {
    const [one, other] = people as [Person, Person]
    const key = { 'idempotency-key': randomUUID() }
    const create = (person: Person) =>
      running.request('POST', COLLECTION, {
        token: person.token,
        headers: key,
        json: { agent_name: 'A', model_name: 'm', team_id: one.team, id: agents[0] },
      })
    const [first, second] = [await create(one), await create(other)]
    assert.notEqual(first.body.id, second.body.id)
    assert.equal(second.body.team_id, other.team)
  })
})
