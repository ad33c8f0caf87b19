import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { walk } from '../../../src/features/delegation/graph.ts'
import type { AgentDelegation, AgentDependentPage } from '../../../src/features/delegation/schema.ts'
import { COLLECTION, codeOf, createAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'

describe('the graph of delegations', async () => {
  let nowMs = Date.now()
  const running = await useConsole({ overrides: { now: () => nowMs } })
  const person = await running.person()

  const get = async (id: string, query = '', by: Person = person) => {
    const reply = await running.request<AgentDelegation>('GET', `${COLLECTION}/${id}/delegation${query}`, {
      token: by.token,
    })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const dependents = async (id: string, query = '', by: Person = person) => {
    const path = `${COLLECTION}/${id}/dependents${query}`
    const reply = await running.request<AgentDependentPage>('GET', path, { token: by.token })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const create = async (fields: object = {}, by: Person = person) =>
    (await createAgent(running, by, fields)).id
  const delegateTo = (...ids: string[]) => ({ delegated_agents: ids.map((agent_id) => ({ agent_id })) })
  const move = (id: string, trust_stage: string, headers = {}) =>
    running.request('PUT', `${COLLECTION}/${id}/lifecycle`, {
      token: person.token,
      json: { trust_stage },
      headers,
    })
  const remove = (id: string, query = '', headers = {}) =>
    running.request('DELETE', `${COLLECTION}/${id}${query}`, { token: person.token, headers })
  const newUrl = () => `https://${randomUUID()}.example.com`

  it('ends between two statements when the time is over', async () => {
    const last = await create()
    const targets = await Promise.all(Array.from({ length: 60 }, () => create(delegateTo(last))))
    const id = await create(delegateTo(...targets))
    let asked = 0
    const found = await walk(running.core.database.system, person.team, id, { isLate: () => ++asked === 2 })
    assert.deepEqual([found?.nodes.length, found?.edges.length, found?.limits], [62, 110, ['time']])
  })

  it('of an agent that delegates to none is the agent itself', async () => {
    const id = await create({ agent_name: 'alone' })
    assert.deepEqual(await get(id), {
      agent_id: id,
      nodes: [
        {
          id,
          agent_name: 'alone',
          status: 'active',
          trust_stage: 'registered',
          protection_status: 'unprotected',
          evaluation: 'none',
          depth: 0,
        },
      ],
      edges: [],
      cycles: [],
      weakest: {
        trust_stage: { value: 'registered', path: [] },
        protection_status: { value: 'unprotected', path: [] },
        evaluation: { value: 'none', path: [] },
      },
      complete: true,
      limits: [],
    })
  })

  it('finds an agent by its id, else by its card, else by its URL', async () => {
    const [url, card] = [newUrl(), `${newUrl()}/card.json`]
    const byUrl = await create({ agent_url: `${url}:443/api/` })
    const byCard = await create({ agent_url: newUrl(), import_metadata: { source_url: card } })
    const byId = await create({})
    const root = await create({
      delegated_agents: [
        { agent_id: byId.toUpperCase(), url, agent_card_url: card },
        { agent_card_url: `${card}#skills`, url: `${url}/api` },
        { agent_card_url: `${newUrl()}/unknown`, url: `${url.toUpperCase()}/api` },
        { url: `${url}/api?tenant=1` },
        { name: 'Agent' },
        { agent_id: randomUUID(), url: `${url}/api` },
      ],
    })
    const { edges, nodes, complete, weakest } = await get(root)
    assert.deepEqual(
      edges.map(({ kind, to, matched_by }) => [kind, to, matched_by]),
      [
        ['agent', byId, 'agent_id'],
        ['agent', byCard, 'agent_card_url'],
        ['agent', byUrl, 'url'],
        ['external', null, null],
        ['external', null, null],
        ['external', null, null],
      ],
    )
    assert.deepEqual(edges.map(({ label }) => label).slice(3, 5), [`${url}/api?tenant=1`, 'Agent'])
    assert.deepEqual(
      nodes.map(({ id, depth }) => [id, depth]),
      [
        [root, 0],
        [byId, 1],
        [byCard, 1],
        [byUrl, 1],
      ],
    )
    assert.equal(complete, true)
    const path = [{ from: root, position: 3, to: null }]
    assert.deepEqual(weakest.trust_stage, { value: null, path })
  })

  it('does not choose between agents with the same address', async () => {
    const agent_url = newUrl()
    const both = [await create({ agent_url }), await create({ agent_url: `${agent_url}/` })]
    const root = await create({ delegated_agents: [{ url: agent_url }] })
    const [edge] = (await get(root)).edges
    assert.deepEqual([edge?.kind, edge?.to, edge?.candidates], ['ambiguous', null, both.toSorted()])
    for (const id of both) {
      const { results } = await dependents(id)
      assert.deepEqual(
        results.map((each) => [each.id, each.ambiguous]),
        [[root, true]],
      )
    }
    await remove(both[0] as string)
    assert.equal((await get(root)).edges[0]?.to, both[1])
    assert.equal((await dependents(both[1] as string)).results[0]?.ambiguous, false)
  })

  it('names the weakest values and the shortest way to each', async () => {
    const weak = await create({ protection_status: 'guarded' })
    const middle = await create({ ...delegateTo(weak), protection_status: 'configured' })
    const root = await create({ ...delegateTo(middle), protection_status: 'guarded' })
    await move(middle, 'hardened')
    await move(root, 'adapted')
    await move(weak, 'tested')
    const { weakest } = await get(root)
    const first = { from: root, position: 0, to: middle }
    const second = { from: middle, position: 0, to: weak }
    assert.deepEqual(weakest.trust_stage, { value: 'tested', path: [first, second] })
    assert.deepEqual(weakest.protection_status, { value: 'configured', path: [first] })
    for (const [id, revision] of [
      [root, 1],
      [middle, 1],
      [weak, 1],
    ] as const) {
      await running.request('PUT', `${COLLECTION}/${id}/latest-evaluation`, {
        token: person.token,
        json: { evaluation_id: randomUUID(), revision },
      })
    }
    assert.deepEqual((await get(root)).weakest.evaluation, { value: 'current', path: [] })
    await putAgent(running, person, weak, { model_name: 'another' })
    const outdated = (await get(root)).weakest.evaluation
    assert.deepEqual(outdated, { value: 'outdated', path: [first, second] })
  })

  it('shows cycles and ends', async () => {
    const [a, b, c] = [await create(), await create(), await create()] as [string, string, string]
    await putAgent(running, person, a, delegateTo(b))
    await putAgent(running, person, b, delegateTo(a, c))
    await putAgent(running, person, c, delegateTo(c))
    const { cycles, edges, complete } = await get(a)
    assert.deepEqual(cycles, [[a, b], [c]])
    assert.deepEqual([edges.length, complete], [4, true])
    assert.deepEqual((await dependents(c)).results.length, 1)
  })

  it('follows as many delegations as the request says, and says that there are more', async () => {
    const last = await create()
    const second = await create(delegateTo(last))
    const first = await create(delegateTo(second))
    const near = await get(first, '?depth=1')
    assert.deepEqual([near.nodes.length, near.complete, near.limits], [2, false, ['depth']])
    const whole = await get(first, '?depth=2')
    assert.deepEqual([whole.nodes.length, whole.complete, whole.limits], [3, true, []])
    for (const query of ['?depth=0', '?depth=11', '?as_of=1']) {
      const path = `${COLLECTION}/${first}/delegation${query}`
      assert.equal((await running.request('GET', path, { token: person.token })).status, 422, query)
    }
  })

  it('ends at its limits of agents and of delegations', async () => {
    const ids = Array.from({ length: 1_200 }, () => randomUUID())
    const many = await create(delegateTo(...ids))
    const cut = await get(many)
    assert.deepEqual([cut.edges.length, cut.complete, cut.limits], [1_000, false, ['edges']])
    const hubs: string[] = []
    for (let n = 0; n < 6; n++) hubs.push(await create(delegateTo(...ids.slice(0, 999))))
    const full = await get(await create(delegateTo(...hubs)))
    assert.deepEqual([full.edges.length, full.limits], [5_000, ['edges']])

    const urls = Array.from({ length: 300 }, () => newUrl())
    await running.database.query(
      `INSERT INTO agents SELECT copy.*
       FROM agents a, (SELECT gen_random_uuid() AS id FROM generate_series(1, 1100)) new,
         LATERAL json_populate_record(a, json_build_object('id', new.id)) copy
       WHERE a.id = $1`,
      [await create()],
    )
    const rows = await running.database.query<{ id: string }>('SELECT id FROM agents WHERE team_id = $1', [
      person.team,
    ])
    const all = rows.map(({ id }) => id)
    const [left, right] = [
      await create(delegateTo(...all.slice(0, 600))),
      await create(delegateTo(...all.slice(600))),
    ]
    const wide = await get(
      await create({
        delegated_agents: [...delegateTo(left, right).delegated_agents, ...urls.map((url) => ({ url }))],
      }),
      '?depth=2',
    )
    assert.equal(wide.nodes.length, 1_000)
    assert.ok(wide.limits.includes('nodes'), wide.limits.join())
    for (const { to } of wide.edges) assert.ok(to === null || wide.nodes.some(({ id }) => id === to))
  })

  it('lists dependents in pages, without the agent itself', async () => {
    const agent_url = newUrl()
    const leaf = await create({ agent_url })
    await putAgent(running, person, leaf, delegateTo(leaf))
    const expected: string[] = []
    for (let n = 0; n < 5; n++) {
      expected.push(await create(n % 2 ? delegateTo(leaf, leaf) : { delegated_agents: [{ url: agent_url }] }))
    }
    await create({ delegated_agents: [{ url: newUrl() }] })
    const found: string[] = []
    let cursor: string | null = null
    do {
      const page: AgentDependentPage = await dependents(leaf, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      assert.ok(page.results.length <= 2)
      found.push(...page.results.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor)
    assert.deepEqual(found, expected.toSorted())
    const path = `${COLLECTION}/${leaf}/dependents?cursor=abc`
    assert.equal((await running.request('GET', path, { token: person.token })).status, 422)
  })

  it('does not show what another team has: its agents are external, and have no dependents here', async () => {
    const other = await running.person()
    const agent_url = newUrl()
    const foreign = await create({ agent_url, import_metadata: { source_url: `${agent_url}/card` } }, other)
    const targets = [{ agent_id: foreign }, { agent_card_url: `${agent_url}/card` }, { url: agent_url }]
    const unknown = [{ agent_id: randomUUID() }, { agent_card_url: `${newUrl()}/card` }, { url: newUrl() }]
    const shapes = []
    for (const delegated_agents of [targets, unknown]) {
      const { edges, weakest } = await get(await create({ delegated_agents }))
      shapes.push([edges.map((edge) => ({ ...edge, from: null, label: null })), weakest.trust_stage.value])
    }
    assert.deepEqual(shapes[0], shapes[1])
    assert.deepEqual((await dependents(foreign, '', other)).results, [])
    const own = await create({ agent_url })
    assert.equal((await get(await create({ delegated_agents: targets }))).edges[2]?.to, own)
    assert.deepEqual((await dependents(foreign, '', other)).results, [])
  })

  it('follows changes: new delegations, a moved URL, deletion, recovery, restore', async () => {
    const [before, after] = [newUrl(), newUrl()]
    const leaf = await create({ agent_url: before })
    const root = await create({ delegated_agents: [{ url: before }, { url: after }] })
    const targets = async () => (await get(root)).edges.map(({ to }) => to)
    assert.deepEqual(await targets(), [leaf, null])
    await putAgent(running, person, leaf, { agent_url: after })
    assert.deepEqual(await targets(), [null, leaf])
    await remove(leaf)
    assert.deepEqual(await targets(), [null, null])
    await running.request('POST', `${COLLECTION}/${leaf}/recover`, { token: person.token })
    assert.deepEqual(await targets(), [null, leaf])
    await putAgent(running, person, leaf, { agent_url: null })
    assert.deepEqual(await targets(), [null, null])
    await running.request('POST', `${COLLECTION}/${leaf}/revisions/1/restore`, { token: person.token })
    assert.deepEqual(await targets(), [leaf, null])
    await putAgent(running, person, root, { delegated_agents: [{ name: 'x' }] })
    assert.deepEqual(await targets(), [null])
    assert.deepEqual((await dependents(leaf)).results, [])
    await putAgent(running, person, root, delegateTo(leaf))
    await remove(root)
    assert.deepEqual((await dependents(leaf)).results, [])
    await running.request('POST', `${COLLECTION}/${root}/recover`, { token: person.token })
    assert.deepEqual(
      (await dependents(leaf)).results.map(({ id }) => id),
      [root],
    )
  })

  it('refuses on request what can break dependents, and nothing else', async () => {
    const header = { 'console-refuse-if-dependents': 'trusted' }
    const leaf = await create({ agent_url: newUrl() })
    await move(leaf, 'hardened')
    const root = await create(delegateTo(leaf))
    const put = (json: object, headers = header) => putAgent(running, person, leaf, json, headers)
    assert.equal((await put({ model_name: 'a' })).status, 200)
    await move(root, 'optimized')
    const restore = (revision: number, headers = {}) =>
      running.request('POST', `${COLLECTION}/${leaf}/revisions/${revision}/restore`, {
        token: person.token,
        headers,
      })
    for (const reply of [
      await put({ model_name: 'b' }),
      await put({ agent_url: newUrl() }),
      await put({ status: 'archived' }),
      await move(leaf, 'tested', header),
      await remove(leaf, '', header),
      await remove(leaf, '?dry_run=true', header),
      await restore(1, header),
    ]) {
      assert.equal(reply.status, 409, reply.text)
      assert.equal(codeOf(reply), 'has_dependents')
    }
    assert.equal((await put({ purpose: 'x', model_name: 'a' })).status, 200)
    assert.equal((await move(leaf, 'trusted', header)).status, 200)
    assert.equal((await put({ model_name: 'b' }, { 'console-refuse-if-dependents': 'adapted' })).status, 200)
    assert.equal((await put({}, { 'console-refuse-if-dependents': 'all' })).status, 422)
    assert.equal((await move(leaf, 'tested')).status, 200)
    assert.equal((await restore(1)).status, 200)
    assert.equal((await remove(leaf)).status, 204)
  })

  it('gives an id that the team does not have no dependents, even if a delegation names it', async () => {
    const other = await running.person()
    const ids = [randomUUID(), await create({}, other)]
    await move(await create(delegateTo(...ids)), 'trusted')
    for (const id of ids) {
      const reply = await remove(id, '', { 'console-refuse-if-dependents': 'trusted' })
      assert.deepEqual([reply.status, codeOf(reply)], [404, 'agent_not_found'])
    }
  })

  it('shows in a dry run what a deletion affects, and changes nothing', async () => {
    const leaf = await create()
    const plan = async () => (await remove(leaf, '?dry_run=true')).body
    const { revision, erase_at: eraseAt, impact } = await plan()
    assert.equal(revision, 1)
    assert.equal(eraseAt, Math.floor(nowMs / 1_000) + 7 * 86_400)
    const none = { agent_id: leaf, dependents: 0, has_more: false, strongest_trust_stage: null }
    assert.deepEqual(impact, none)
    const root = await create(delegateTo(leaf))
    await move(root, 'hardened')
    for (let n = 0; n < 99; n++) await create(delegateTo(leaf))
    const some = { ...none, dependents: 100, strongest_trust_stage: 'hardened' }
    assert.deepEqual((await plan()).impact, some)
    await create(delegateTo(leaf))
    assert.deepEqual((await plan()).impact, { ...some, has_more: true })
    assert.equal((await remove(leaf, '?dry_run=true', { 'if-match': '"9"' })).status, 412)
    assert.equal((await remove(randomUUID(), '?dry_run=true')).status, 404)
    assert.equal((await remove(leaf, '?dry_run=true&erase=true')).body.erase_at, Math.floor(nowMs / 1_000))
    assert.equal((await get(leaf)).agent_id, leaf)
  })
})
