import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import type { AgentPage } from '../../../src/features/list/schema.ts'
import { COLLECTION, createAgent, putAgent } from '../../support/agents.ts'
import { type Reply, useConsole } from '../../support/console.ts'

const STATUSES = ['draft', 'active', 'archived', 'pending'] as const
const STAGES = ['registered', 'tested', 'trusted'] as const
const PROTECTIONS = ['unprotected', 'guarded'] as const

describe('the list of agents', async () => {
  const running = await useConsole()
  const person = await running.person()
  const agents: Agent[] = []
  for (let n = 0; n < 60; n++) {
    const agent = await createAgent(running, person, {
      agent_name: `${['Agent', 'bot', 'ÄRGER', '50%_off', 'Zoë\\'][n % 5]} ${n % 7}`,
      status: STATUSES[n % STATUSES.length],
      protection_status: PROTECTIONS[n % PROTECTIONS.length],
    })
    const trust_stage = STAGES[n % STAGES.length] as Agent['trust_stage'] & string
    await running.database.query('UPDATE agents SET trust_stage = $2 WHERE id = $1', [agent.id, trust_stage])
    agents.push({ ...agent, trust_stage })
  }
  const otherTeam = await running.person()
  for (let n = 0; n < 5; n++) await createAgent(running, otherTeam, { agent_name: 'Agent of another' })

  const list = async (query = '', token = person.token) => {
    const reply = await running.request('GET', `${COLLECTION}${query && `?${query}`}`, { token })
    assert.equal(reply.status, 200, reply.text)
    return reply.body as AgentPage
  }
  const names = (found: { results: Agent[] }) => found.results.map(({ agent_name }) => agent_name)
  /** All pages one after the other. */
  const all = async (query: string, limit: number) => {
    const results: Agent[] = []
    let cursor: string | null = null
    do {
      const page = await list(
        `${query}&limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      )
      assert.ok(page.results.length <= limit)
      results.push(...page.results)
      cursor = page.next_cursor
    } while (cursor !== null)
    return results
  }

  const visible = () => agents.filter(({ status }) => status !== 'archived')

  it('has the team’s agents, newest first, without archived ones', async () => {
    const { results, revisions, next_cursor, ...rest } = await list()
    assert.deepEqual(
      results.map(({ id }) => id),
      visible()
        .map(({ id }) => id)
        .toReversed(),
    )
    assert.equal(next_cursor, null)
    assert.equal(revisions.length, results.length)
    assert.deepEqual(rest, {})
    assert.ok(results.every((agent) => agent.team_id === person.team && !('latest_evaluation' in agent)))
  })

  it('has the revision of each agent, in the order of the agents', async () => {
    const own = await running.person()
    const ids: string[] = []
    for (let revision = 1; revision <= 4; revision++) {
      const { id } = await createAgent(running, own, { agent_name: `${9 - revision}` })
      for (let n = 1; n < revision; n++) await putAgent(running, own, id, { purpose: `${n}` })
      ids.push(id)
    }
    for (const [query, expected] of [
      ['', [4, 3, 2, 1]],
      ['sort=created_at', [1, 2, 3, 4]],
      ['sort=agent_name&include_scores=true', [4, 3, 2, 1]],
      ['q=7', [2]],
      ['q=nothing', []],
    ] as const) {
      const page = await list(query, own.token)
      assert.deepEqual(page.revisions, expected, query)
      assert.deepEqual(
        page.results.map(({ id }) => id),
        expected.map((revision) => ids[revision - 1]),
      )
    }
    const { results, revisions } = await list('limit=2', own.token)
    for (const [index, { id }] of results.entries()) {
      const headers = { 'if-match': `"${revisions[index]}"` }
      assert.equal(
        (await putAgent(running, own, id, { purpose: 'written from the list' }, headers)).status,
        200,
      )
    }
  })

  it('comes in pages that neither miss nor repeat, in every sort and direction', async () => {
    const byName = (a: Agent, b: Agent) =>
      Buffer.compare(Buffer.from(a.agent_name), Buffer.from(b.agent_name)) || (a.id < b.id ? -1 : 1)
    const orders = {
      created_at: visible(),
      '-created_at': visible().toReversed(),
      agent_name: visible().toSorted(byName),
      '-agent_name': visible().toSorted(byName).toReversed(),
    }
    for (const [sort, expected] of Object.entries(orders)) {
      for (const limit of [1, 7, 45, 500]) {
        const found = await all(`sort=${sort}`, limit)
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.map(({ id }) => id),
          `${sort} ${limit}`,
        )
      }
    }
  })

  it('is filtered by each filter, by several values, and by all of them together', async () => {
    const cases: [string, (agent: Agent) => boolean][] = [
      ['statuses=archived', ({ status }) => status === 'archived'],
      ['statuses=archived&statuses=draft', ({ status }) => status === 'archived' || status === 'draft'],
      [
        'trust_stages=trusted',
        ({ trust_stage, status }) => trust_stage === 'trusted' && status !== 'archived',
      ],
      ['protection_statuses=guarded', (a) => a.protection_status === 'guarded' && a.status !== 'archived'],
      ['statuses=rejected', () => false],
      [
        'statuses=active&trust_stages=tested&protection_statuses=guarded',
        (a) => a.status === 'active' && a.trust_stage === 'tested' && a.protection_status === 'guarded',
      ],
      ['q=bot&statuses=draft', (a) => a.agent_name.startsWith('bot') && a.status === 'draft'],
    ]
    for (const [query, matches] of cases) {
      for (const sort of ['created_at', '-agent_name']) {
        const found = await all(`${query}&sort=${sort}`, 4)
        const expected = agents.filter(matches).map(({ id }) => id)
        assert.deepEqual(found.map(({ id }) => id).toSorted(), expected.toSorted(), `${query} ${sort}`)
      }
    }
  })

  it('finds a part of a name in either case, and takes every character for itself', async () => {
    for (const [q, start] of [
      ['gent', 'Agent'],
      ['BOT', 'bot'],
      ['ärg', 'ÄRGER'],
      ['%', '50%_off'],
      ['_', '50%_off'],
      ['\\', 'Zoë\\'],
      ['o', null],
    ] as const) {
      const found = names(await list(`q=${encodeURIComponent(q)}`))
      const expected = visible()
        .map(({ agent_name }) => agent_name)
        .filter((name) => (start ? name.startsWith(start) : name.toLowerCase().includes(q)))
      assert.deepEqual(found.toSorted(), expected.toSorted(), q)
    }
    assert.deepEqual(names(await list('q=nothing')), [])
  })

  it('finds every agent by its own name, whatever the letters, and counts it', async () => {
    const own = await running.person()
    for (const agent_name of ['ΟΔΟΣ', 'İstanbul', 'ǅ', 'STRAẞE', 'Kelvin \u212a']) {
      const { id } = await createAgent(running, own, { agent_name })
      const found = await list(`include_count=1&q=${encodeURIComponent(agent_name)}`, own.token)
      assert.deepEqual([found.results.map((agent) => agent.id), found.count], [[id], 1], agent_name)
    }
  })

  it('has the members that `fields` names, and always the id, in the order of Agent', async () => {
    const [whole] = (await list('limit=1&include_scores=true')).results as [Agent]
    for (const [query, members] of [
      ['fields=status&fields=agent_name', ['id', 'agent_name', 'status']],
      ['fields=id', ['id']],
      ['fields=latest_evaluation', ['id']],
      ['fields=agent_params&include_scores=true', ['id', 'agent_params', 'latest_evaluation']],
      ['fields=api_key&tags=&tags=x&statuses=rejected', undefined],
    ] as const) {
      const page = await list(`limit=1&${query}`)
      if (members === undefined) assert.deepEqual(page.results, [])
      else {
        assert.deepEqual(
          page.results,
          [Object.fromEntries(members.map((name) => [name, whole[name]]))],
          query,
        )
        assert.deepEqual(Object.keys(page.results[0] as Agent), members)
      }
      assert.equal(page.revisions.length, page.results.length)
    }
  })

  it('counts on request, with the same filters', async () => {
    assert.equal((await list('include_count=true&limit=1')).count, visible().length)
    assert.equal((await list('include_count=1&statuses=archived')).count, 15)
    assert.equal(
      (await list('include_count=yes&q=bot')).count,
      visible().filter((a) => a.agent_name.startsWith('bot')).length,
    )
  })

  it('gives cursors that belong to their filters, and carry no authority', async () => {
    const first = await list('limit=5&statuses=active&statuses=draft')
    const cursor: string | null = first.next_cursor
    assert.ok(cursor)
    const reordered = await list(`limit=3&statuses=draft&statuses=active&cursor=${cursor}`)
    assert.equal(reordered.results.length, 3)
    for (const query of ['', 'statuses=active', 'statuses=active&statuses=draft&sort=agent_name', 'q=a']) {
      const reply: Reply<{ detail: { loc: string[] }[] }> = await running.request(
        'GET',
        `${COLLECTION}?${query}&cursor=${cursor}`,
        {
          token: person.token,
        },
      )
      assert.equal(reply.status, 422, query)
      assert.deepEqual(reply.body.detail[0]?.loc, ['query', 'cursor'])
    }
    const stranger = await running.person()
    const stolen = await list(`limit=5&statuses=active&statuses=draft&cursor=${cursor}`, stranger.token)
    assert.deepEqual(stolen.results, [])
  })

  it('checks the position of a cursor like any input', async () => {
    const page = await list('limit=1&sort=agent_name')
    const [digest] = JSON.parse(Buffer.from(page.next_cursor ?? '', 'base64url').toString())
    for (const position of [
      [],
      ['x'],
      ['x', 'y'],
      [1, 2],
      ['x', randomUUID(), 'z'],
      ['\0', randomUUID()],
      ['x', `urn:uuid:${randomUUID()}`],
    ]) {
      const cursor = Buffer.from(JSON.stringify([digest, ...position])).toString('base64url')
      const reply = await running.request('GET', `${COLLECTION}?limit=1&sort=agent_name&cursor=${cursor}`, {
        token: person.token,
      })
      assert.equal(reply.status, 422, JSON.stringify(position))
    }
  })

  it('checks the score in a cursor', async () => {
    const page = await list('limit=1&sort=-score')
    const [digest] = JSON.parse(Buffer.from(page.next_cursor ?? '', 'base64url').toString())
    for (const [score, status] of [
      ['-Infinity', 200],
      ['0.5', 200],
      ['5e-324', 200],
      ['Infinity', 422],
      ['NaN', 422],
      ['1e-400', 422],
      ['1e400', 422],
      ['0x10', 422],
      [0.5, 422],
      ['', 422],
    ] as const) {
      const cursor = Buffer.from(JSON.stringify([digest, score, randomUUID()])).toString('base64url')
      const path = `${COLLECTION}?limit=1&sort=-score&cursor=${cursor}`
      const reply = await running.request('GET', path, { token: person.token })
      assert.equal(reply.status, status, `${score}`)
    }
  })

  it('refuses what it does not offer', async () => {
    for (const [query, loc, type] of [
      ['limit=0', ['query', 'limit'], 'greater_than_equal'],
      ['limit=501', ['query', 'limit'], 'less_than_equal'],
      ['limit=x', ['query', 'limit'], 'int_parsing'],
      ['sort=updated_at', ['query', 'sort'], 'enum'],
      ['fields=secret', ['query', 'fields', 0], 'enum'],
      ['min_score=high', ['query', 'min_score'], 'float_parsing'],
      ['statuses=active&statuses=bogus', ['query', 'statuses', 1], 'enum'],
      ['include_scores=maybe', ['query', 'include_scores'], 'bool_parsing'],
      ['q=%00', ['query', 'q'], 'value_error'],
      [`q=${'x'.repeat(256)}`, ['query', 'q'], 'string_too_long'],
      ['cursor=garbage', ['query', 'cursor'], 'value_error'],
    ] as const) {
      const reply = await running.request('GET', `${COLLECTION}?${query}`, { token: person.token })
      assert.equal(reply.status, 422, query)
      assert.deepEqual([reply.body.detail[0].loc, reply.body.detail[0].type], [[...loc], type], query)
    }
  })
})
