import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { encodeCursor } from '../../../src/api/pages.ts'
import type { ManagedAgentResult } from '../../../src/features/sets/schema.ts'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../../support/agents.ts'
import { type Reply, useConsole } from '../../support/console.ts'
import { SETS, useSet } from '../../support/sets-scene.ts'

const SPEC = { agent_name: 'Invoice helper', model_name: 'gpt-5.4' }
const KEY = 'sk-0123456789-abcdefghij'
const OTHER_KEY = 'sk-0123456789-zzzzzzzzzz'

describe('a configuration set', async () => {
  let nowMs = Date.now()
  const running = await useConsole({ overrides: { now: () => nowMs } })
  const person = await running.person()
  const ci = await running.person({ team: person.team })
  const ours = useSet(running, ci, 'payments')

  const ok = (reply: Reply<ManagedAgentResult>, status = 200): ManagedAgentResult => {
    assert.equal(reply.status, status, reply.text)
    return reply.body
  }
  const refused = (reply: Reply, status: number, code: string, text = /./) => {
    assert.deepEqual([reply.status, codeOf(reply)], [status, code], reply.text)
    assert.match((JSON.parse(reply.text) as { detail: string }).detail, text)
  }
  const get = async (path: string) => (await running.request('GET', path, { token: person.token })).body
  const events = async (id: string) => {
    const rows = await running.database.query<{ type: string; payload: Record<string, unknown> }>(
      'SELECT type, payload FROM outbox WHERE aggregateid = $1 ORDER BY revision',
      [id],
    )
    return rows.map(({ type, payload }) => [type, payload['fields'], payload['drifted_sets'] ?? null])
  }
  const audited = async (id: string) => {
    const { results } = await get(`/v1/audit-events?agent_id=${id}`)
    return results
      .toReversed()
      .map(({ action, via, user_id, detail }: Record<string, unknown>) => ({ action, via, user_id, detail }))
  }
  /** All that a write can change. */
  const stored = async () => {
    const tables = ['agents', 'agent_revisions', 'outbox', 'audit_events', 'managed_agents', 'agent_filters']
    const rows = []
    for (const table of tables) {
      rows.push(await running.database.query(`SELECT to_jsonb(t) FROM ${table} t ORDER BY to_jsonb(t)::text`))
    }
    return JSON.stringify(rows)
  }
  const key = () => `k-${randomUUID()}`

  it('creates an agent, changes it, and does nothing the second time', async () => {
    const name = key()
    const spec = { ...SPEC, skills: [{ id: 's', name: 'S' }], purpose: null }
    const created = ok(await ours.apply(name, { spec }), 201)
    const { id } = created.agent
    assert.deepEqual(created, {
      agent: (await getAgent(running, person, id)).body,
      ...{ revision: 1, applied_revision: 1, released: [] },
      changes: ['agent_name', 'model_name', 'skills'].map((field) => ({
        ...{ field, old: null, new: spec[field as keyof typeof spec] },
        ...{ secret_changed: false, drifted: false },
      })),
    })
    const before = await stored()
    const same = await ours.apply(name, { spec })
    assert.deepEqual(ok(same).changes, [])
    assert.equal(same.headers.get('etag'), '"1"')
    assert.equal(await stored(), before)

    const skills = [{ id: 't', name: 'T' }]
    const changed = ok(
      await ours.apply(name, { spec: { ...spec, skills, capabilities: { streaming: true } } }),
    )
    assert.deepEqual(
      [changed.revision, changed.agent.skills, changed.agent.capabilities],
      [2, skills, { streaming: true }],
    )
    assert.deepEqual(
      changed.changes.map(({ field, old }) => [field, old]),
      [
        ['capabilities', {}],
        ['skills', spec.skills],
      ],
    )
    assert.deepEqual(await events(id), [
      ['created', ['agent_name', 'model_name', 'skills'], null],
      ['updated', ['capabilities', 'skills'], null],
    ])
    const by = { via: 'set', user_id: ci.user }
    const place = { set: 'payments', key: name }
    assert.deepEqual(await audited(id), [
      {
        ...{ action: 'agent_created', ...by },
        detail: { revision: 1, fields: ['agent_name', 'model_name', 'skills'], ...place },
      },
      {
        action: 'agent_updated',
        ...by,
        detail: { revision: 2, fields: ['capabilities', 'skills'], ...place },
      },
    ])
  })

  it('answers in a dry run what the write answers but for the revision, which is the current one, and writes nothing', async () => {
    const name = key()
    const white_box_config = { repo_url: 'https://git.example', github_token: 'ghp-0123456789-abcdefghij' }
    const specs = [
      { ...SPEC, api_key: KEY, test_score: 87.5, agent_params: { z: 1, a: [1e300] }, white_box_config },
      { ...SPEC, api_key: OTHER_KEY, white_box_config: { repo_url: 'https://git.example' } },
      { ...SPEC, api_key: OTHER_KEY },
      { model_name: 'another' },
    ]
    for (const [n, spec] of specs.entries()) {
      const before = await stored()
      const planned = await ours.plan(name, { spec })
      assert.equal(await stored(), before)
      const written = await ours.apply(name, { spec })
      const etag = n === 0 ? null : `"${n}"`
      assert.deepEqual([planned.status, planned.headers.get('etag')], [n === 0 ? 201 : 200, etag])
      assert.deepEqual([planned.body.revision, planned.body.applied_revision], [n, n])
      assert.equal(written.status, planned.status, written.text)
      const { agent, revision, applied_revision } = written.body
      assert.deepEqual([revision, applied_revision], [n + 1, n + 1])
      const expected = { ...planned.body, revision, applied_revision }
      assert.deepEqual(
        written.body,
        n === 0 ? { ...expected, agent: { ...expected.agent, id: agent.id } } : expected,
      )
      for (const { text } of [planned, written]) assert.doesNotMatch(text, /abcdefghij"|0123456789/)
    }
    const fields = ok(await ours.plan(name, { spec: { model_name: 'another' } }))
    assert.deepEqual([fields.changes, fields.released], [[], []])
  })

  it('shows of a secret only that it changes', async () => {
    const name = key()
    const config = { repo_url: 'https://git.example', github_token: 'ghp-0123456789-abcdefghij' }
    const spec = { ...SPEC, api_key: KEY, white_box_config: config }
    const { agent } = ok(await ours.apply(name, { spec }), 201)
    assert.deepEqual([agent.api_key, agent.white_box_config?.github_token], ['********ghij', '********ghij'])
    const { changes } = ok(
      await ours.apply(name, {
        spec: { ...spec, api_key: OTHER_KEY, white_box_config: { ...config, repo_branch: 'main' } },
      }),
    )
    const shown = { repo_url: 'https://git.example', github_token: '********ghij' }
    assert.deepEqual(changes, [
      {
        ...{ field: 'white_box_config', old: shown, new: { ...shown, repo_branch: 'main' } },
        ...{ secret_changed: false, drifted: false },
      },
      { field: 'api_key', old: null, new: null, secret_changed: true, drifted: false },
    ])
  })

  it('takes an existing agent, and refuses one that it has', async () => {
    const agent = await createAgent(running, person, { purpose: 'p', skills: [{ id: 's', name: 'S' }] })
    const name = key()
    const spec = { purpose: 'p', skills: [{ id: 's', name: 'S' }] }
    const adopted = ok(await ours.apply(name, { spec, adopt: agent.id }), 201)
    assert.deepEqual([adopted.revision, adopted.changes, adopted.agent], [1, [], agent])
    assert.deepEqual((await audited(agent.id)).at(-1), {
      ...{ action: 'set_applied', via: 'set', user_id: ci.user },
      detail: { set: 'payments', key: name, fields: ['purpose', 'skills'], applied_revision: 1 },
    })
    ok(await ours.apply(name, { spec, adopt: agent.id.toUpperCase() }))
    refused(await ours.apply(key(), { spec, adopt: agent.id }), 409, 'agent_bound')
    const other = await createAgent(running, person)
    refused(await ours.apply(name, { spec, adopt: other.id }), 409, 'agent_bound')
    refused(await ours.apply(key(), { spec, adopt: randomUUID() }), 404, 'agent_not_found')
    const theirs = useSet(running, person, 'security')
    const own = { spec: { hub: 'h', purpose: 'q' }, adopt: agent.id }
    refused(await theirs.apply('x', own), 409, 'field_owned', /purpose \(by the set payments\)/)
    refused(await theirs.plan('x', own), 409, 'field_owned', /purpose/)
    ok(await theirs.apply('x', { spec: { hub: 'h' }, adopt: agent.id }), 201)
    refused(await ours.apply(name, { spec: { ...spec, hub: 'i' } }), 409, 'field_owned', /hub/)
    assert.equal((await theirs.release('x')).status, 204)
    ok(await ours.apply(name, { spec: { ...spec, hub: 'i' } }))
  })

  it('keeps to If-Match and If-None-Match', async () => {
    const name = key()
    const spec = SPEC
    for (const match of ['"1"', '*']) {
      refused(await ours.apply(name, { spec }, { 'if-match': match }), 412, 'revision_stale')
    }
    ok(await ours.apply(name, { spec }, { 'if-none-match': '*' }), 201)
    refused(await ours.apply(name, { spec }, { 'if-none-match': '*' }), 412, 'revision_stale')
    refused(await ours.plan(name, { spec }, { 'if-none-match': '*' }), 412, 'revision_stale')
    const next = { spec: { ...SPEC, hub: 'h' } }
    refused(await ours.apply(name, next, { 'if-match': '"2"' }), 412, 'revision_stale')
    ok(await ours.apply(name, next, { 'if-match': '"1"' }))
    refused(await ours.plan(name, next, { 'if-match': '"1"' }), 412, 'revision_stale')
    assert.equal((await ours.apply(name, next, { 'if-none-match': '"1"' })).status, 422)
    const { id } = await createAgent(running, person)
    refused(await ours.apply(key(), { ...next, adopt: id }, { 'if-match': '"9"' }), 412, 'revision_stale')
    ok(await ours.apply(key(), { ...next, adopt: id }, { 'if-match': '"1"' }), 201)
  })

  it('sets back what others have changed, and refuses to overwrite what both have changed', async () => {
    const name = key()
    const spec = { ...SPEC, purpose: 'file', hub: 'file', agent_params: { temperature: 1 } }
    const { id } = ok(await ours.apply(name, { spec }), 201).agent
    await putAgent(running, person, id, { purpose: 'person', agent_system_prompt: 'of no set' })
    await putAgent(running, person, id, { hub: 'person', agent_params: { temperature: 2 } })
    assert.deepEqual((await events(id)).slice(1), [
      ['updated', ['purpose', 'agent_system_prompt'].toReversed(), ['payments']],
      ['updated', ['hub', 'agent_params'], ['payments']],
    ])
    const { results } = await ours.drift()
    const drift = results.find(({ agent_id }) => agent_id === id)
    assert.deepEqual([drift?.key, drift?.revision, drift?.applied_revision], [name, 3, 1])
    assert.deepEqual(
      drift?.fields
        .map(({ field, applied, live, revision, changed_by }) => {
          assert.equal(changed_by, person.user)
          return [field, applied, live, revision]
        })
        .toSorted(),
      [
        ['agent_params', { temperature: 1 }, { temperature: 2 }, 3],
        ['hub', 'file', 'person', 3],
        ['purpose', 'file', 'person', 2],
      ],
    )
    const both = { ...spec, purpose: 'new file', hub: 'person' }
    refused(await ours.plan(name, { spec: both }), 409, 'field_drifted', /too: purpose\. /)
    refused(await ours.apply(name, { spec: both, force: ['hub'] }), 409, 'field_drifted')
    const planned = ok(await ours.plan(name, { spec: both, force: ['purpose'] }))
    const applied = ok(await ours.apply(name, { spec: both, force: ['purpose'] }))
    assert.deepEqual([planned.revision, applied.revision], [3, 4])
    assert.deepEqual(applied.changes, planned.changes)
    assert.deepEqual(
      applied.changes.map(({ field, old, drifted }) => [field, old, drifted]),
      [
        ['agent_params', { temperature: 2 }, true],
        ['purpose', 'person', true],
      ],
    )
    assert.equal(applied.agent.agent_system_prompt, 'of no set')
    assert.deepEqual(
      (await ours.drift()).results.filter(({ agent_id }) => agent_id === id),
      [],
    )
    // What the person set is what the file has now: another change of the file is no conflict.
    ok(await ours.apply(name, { spec: { ...both, hub: 'next' } }))
  })

  it('sees a restore, a bulk request and another set, and no change of a field that it does not own', async () => {
    const spec = { ...SPEC, purpose: 'one' }
    const name = key()
    const { id } = ok(await ours.apply(name, { spec }), 201).agent
    ok(await ours.apply(name, { spec: { ...spec, purpose: 'two' } }))
    const driftOf = async () =>
      (await ours.drift()).results.find(({ agent_id }) => agent_id === id)?.fields.map(({ field }) => field)
    const theirs = useSet(running, person, 'security')
    ok(await theirs.apply(name, { spec: { hub: 'h', capabilities: { memory: true } }, adopt: id }), 201)
    assert.equal(await driftOf(), undefined)
    await running.request('POST', `${COLLECTION}/${id}/revisions/1/restore`, { token: person.token })
    assert.deepEqual(await driftOf(), ['purpose'])
    assert.deepEqual((await events(id)).at(-1), [
      ...['restored', ['hub', 'purpose', 'capabilities']],
      ['payments', 'security'],
    ])
    await putAgent(running, person, id, { purpose: 'two' })
    assert.equal(await driftOf(), undefined, 'it has the applied value again')
    await running.request('POST', `${COLLECTION}/bulk`, {
      token: person.token,
      json: { agents: [{ id }], update: { model_name: 'of the bulk request' } },
    })
    assert.deepEqual(await driftOf(), ['model_name'])
  })

  it('never overwrites a secret that another writer has changed without force', async () => {
    const name = key()
    const config = { repo_url: 'https://git.example', github_token: 'ghp-0123456789-abcdefghij' }
    const spec = { ...SPEC, api_key: KEY, white_box_config: config }
    const { id } = ok(await ours.apply(name, { spec }), 201).agent
    await putAgent(running, person, id, { api_key: OTHER_KEY })
    await putAgent(running, person, id, { white_box_config: { ...config, github_token: 'rotated' } })
    const drift = (await ours.drift()).results.find(({ agent_id }) => agent_id === id)
    assert.deepEqual(
      drift?.fields
        .map(({ field, applied, live, secret_changed }) => ({ field, applied, live, secret_changed }))
        .toSorted((a, b) => (a.field < b.field ? -1 : 1)),
      [
        { field: 'api_key', applied: null, live: null, secret_changed: true },
        {
          field: 'white_box_config',
          applied: { ...config, github_token: '********ghij' },
          live: { ...config, github_token: '********' },
          secret_changed: true,
        },
      ],
    )
    refused(await ours.apply(name, { spec }), 409, 'field_drifted', /white_box_config, api_key/)
    const taken = { ...SPEC, api_key: OTHER_KEY, white_box_config: { ...config, github_token: 'rotated' } }
    assert.deepEqual(ok(await ours.apply(name, { spec: taken })).changes, [])
    await putAgent(running, person, id, { api_key: KEY })
    const { changes } = ok(await ours.apply(name, { spec: taken, force: ['api_key'] }))
    assert.deepEqual(changes, [
      { field: 'api_key', old: null, new: null, secret_changed: true, drifted: true },
    ])
    const { body } = await running.request('GET', `${COLLECTION}/${id}/secrets`, { token: person.token })
    assert.equal(body.api_key, OTHER_KEY)
  })

  it('clears or releases what its spec no longer has', async () => {
    const name = key()
    const spec = { ...SPEC, purpose: 'p', hub: 'h', api_key: KEY, capabilities: { memory: true } }
    const { id } = ok(await ours.apply(name, { spec }), 201).agent
    const { changes, released, agent } = ok(await ours.apply(name, { spec: SPEC }))
    assert.deepEqual(
      changes.map(({ field, new: value }) => [field, value]),
      [
        ['purpose', null],
        ['api_key', null],
      ],
    )
    assert.deepEqual(released.toSorted(), ['capabilities', 'hub'])
    assert.deepEqual([agent.hub, agent.capabilities, agent.purpose], ['h', { memory: true }, null])
    await putAgent(running, person, id, { hub: 'x', purpose: 'y' })
    assert.deepEqual((await events(id)).at(-1)?.[2], null)
    // A field that a person has changed since is not cleared silently.
    ok(await ours.apply(name, { spec: { ...SPEC, purpose: 'y' } }))
    await putAgent(running, person, id, { purpose: 'changed' })
    refused(await ours.apply(name, { spec: SPEC }), 409, 'field_drifted', /purpose/)
    ok(await ours.apply(name, { spec: SPEC, force: ['purpose'] }))
    assert.equal((await getAgent(running, person, id)).body.purpose, null)
  })

  it('is strict about its spec, and names each fault', async () => {
    const faults = async (json: object) => {
      const reply = await ours.apply(key(), json)
      assert.equal(reply.status, 422, reply.text)
      const { detail } = reply.body as unknown as { detail: { loc: string[]; type: string; msg: string }[] }
      return detail.map(({ loc, type, msg }) => [loc.join('.'), type, msg])
    }
    const extra = 'extra_forbidden'
    const message = 'Extra inputs are not permitted'
    assert.deepEqual(await faults({ spec: { ...SPEC, agent_nam: 'x', trust_stage: 'trusted' } }), [
      ['body.spec.agent_nam', extra, `${message}, use 'agent_name'`],
      ['body.spec.trust_stage', extra, message],
    ])
    assert.deepEqual(await faults({ spec: SPEC, forse: [] }), [
      ['body.forse', extra, `${message}, use 'force'`],
    ])
    assert.deepEqual(
      (await faults({ spec: {} })).map(([loc, type]) => [loc, type]),
      [
        ['body.spec.agent_name', 'missing'],
        ['body.spec.model_name', 'missing'],
      ],
    )
    for (const [spec, loc, type] of [
      [{ hub: null }, 'hub', 'string_type'],
      [{ skills: null }, 'skills', 'list_type'],
      [{ api_key: '********' }, 'api_key', 'value_error'],
      [
        { white_box_config: { github_token: '********abcd' } },
        'white_box_config.github_token',
        'value_error',
      ],
      [{ agent_url: 'https://u:p@example.com' }, 'agent_url', 'value_error'],
      [{ mcp_config: { headers: { $secret: 'none' } } }, 'mcp_config.headers', 'value_error'],
      [{ test_score: 1e300 }, 'test_score', 'value_error'],
    ] as const) {
      const [[actual, kind] = []] = await faults({ spec: { ...SPEC, ...spec } })
      assert.deepEqual([actual, kind], [`body.spec.${loc}`, type])
    }
    const bad = await running.request('PUT', `${SETS}/Payments/agents/a`, {
      token: ci.token,
      json: { spec: SPEC },
    })
    assert.equal(bad.status, 422)
    const guard = randomUUID()
    const spec = { ...SPEC, guard_config_id: guard.toUpperCase(), test_score: 1e-7 }
    const { agent } = ok(await ours.apply(key(), { spec }), 201)
    assert.deepEqual([agent.guard_config_id, agent.test_score], [guard, '0.0000001'])
  })

  it('needs the secret again, or agent:secret, to move the URL of an agent', async () => {
    const name = key()
    const spec = { ...SPEC, agent_url: 'https://a.example' }
    const { id } = ok(await ours.apply(name, { spec }), 201).agent
    await putAgent(running, person, id, { api_key: KEY })
    const writer = await running.person({ team: person.team, scope: 'agent:read agent:write' })
    const theirs = useSet(running, writer, 'payments')
    const moved = { ...spec, agent_url: 'https://b.example' }
    refused(await theirs.apply(name, { spec: moved }), 403, 'permission_missing', /agent:secret/)
    ok(await ours.apply(name, { spec: moved }))
  })

  it('releases an agent, which stays, and a deleted one only when it is erased', async () => {
    const set = useSet(running, ci, 'lifecycle')
    const keys = ['a', 'b', 'c']
    const ids = new Map<string, string>()
    for (const name of keys) ids.set(name, ok(await set.apply(name, { spec: SPEC }), 201).agent.id)
    const listed = async () => (await set.agents()).results.map((each) => each.key)
    const first = await set.agents('?limit=2')
    assert.deepEqual(first.results[0], {
      ...{ key: 'a', agent_id: ids.get('a'), revision: 1, applied_revision: 1 },
      ...{ fields: ['agent_name', 'model_name'], applied_by: ci.user },
      applied_at: Math.floor(nowMs / 1_000),
    })
    const second = await set.agents(`?limit=2&cursor=${first.next_cursor}`)
    assert.deepEqual([second.results.map((each) => each.key), second.next_cursor], [['c'], null])
    const forged = encodeCursor(['agents', 'lifecycle'], ['\0'])
    const reply = await running.request('GET', `${SETS}/lifecycle/agents?cursor=${forged}`, {
      token: ci.token,
    })
    assert.equal(reply.status, 422)

    // Writers that have read the owners compare it.
    const ownership = () =>
      running.database.query('SELECT set_version::int AS version FROM agents WHERE id = $1', [ids.get('a')])
    assert.deepEqual(await ownership(), [{ version: 1 }])
    assert.equal((await set.release('a')).status, 204)
    assert.deepEqual(await ownership(), [{ version: 2 }])
    refused(await set.release('a'), 404, 'managed_agent_not_found')
    assert.equal((await getAgent(running, person, ids.get('a') as string)).status, 200)
    assert.deepEqual((await audited(ids.get('a') as string)).at(-1), {
      ...{ action: 'set_released', via: 'set', user_id: ci.user },
      detail: { set: 'lifecycle', key: 'a', fields: ['agent_name', 'model_name'] },
    })

    const remove = (id: string | undefined, query = '') =>
      running.request('DELETE', `${COLLECTION}/${id}${query}`, { token: person.token })
    await remove(ids.get('b'))
    assert.deepEqual(await listed(), ['c'])
    refused(await set.release('b'), 404, 'managed_agent_not_found')
    await running.request('POST', `${COLLECTION}/${ids.get('b')}/recover`, { token: person.token })
    assert.deepEqual(await listed(), ['b', 'c'])
    // The key of a deleted agent is free: the recovered agent then belongs to no set.
    await remove(ids.get('b'))
    const replaced = ok(await set.apply('b', { spec: SPEC }, { 'if-none-match': '*' }), 201)
    await running.request('POST', `${COLLECTION}/${ids.get('b')}/recover`, { token: person.token })
    assert.deepEqual(
      (await set.agents()).results.map(({ agent_id }) => agent_id),
      [replaced.agent.id, ids.get('c')],
    )
    await remove(ids.get('c'), '?erase=true')
    const { eraseStep } = await import('../../../src/agent/lifecycle/erase.ts')
    while (await eraseStep(running.core.database.system, Math.floor(nowMs / 1_000) + 1));
    const left = await running.database.query('SELECT FROM managed_agents WHERE agent_id = $1', [
      ids.get('c'),
    ])
    assert.equal(left.length, 0)
  })

  it('belongs to its team, and is listed with the number of its agents', async () => {
    const stranger = await running.person()
    const theirs = useSet(running, stranger, 'payments')
    assert.deepEqual(await theirs.agents(), { results: [], next_cursor: null })
    assert.deepEqual(await theirs.drift(), { results: [], next_cursor: null })
    const { id } = ok(await theirs.apply('shared-name', { spec: SPEC }), 201).agent
    ok(await useSet(running, stranger, 'a.set').apply('x', { spec: SPEC }), 201)
    assert.equal((await getAgent(running, person, id)).status, 404)
    const lists = async (token: string) => (await running.request('GET', SETS, { token })).body.results
    assert.deepEqual(await lists(stranger.token), [
      { name: 'a.set', agents: 1 },
      { name: 'payments', agents: 1 },
    ])
    const own = await lists(ci.token)
    assert.deepEqual(
      own.map(({ name }: { name: string }) => name),
      ['lifecycle', 'payments', 'security'],
    )
  })

  it('pages through the drift', async () => {
    const set = useSet(running, ci, 'drifting')
    for (const name of ['a', 'b', 'c']) {
      const { id } = ok(await set.apply(name, { spec: SPEC }), 201).agent
      await putAgent(running, person, id, { agent_name: `of ${name}` })
    }
    const first = await set.drift('?limit=2')
    const second = await set.drift(`?limit=2&cursor=${first.next_cursor}`)
    const keys = [first, second].map(({ results }) => results.map((each) => each.key))
    assert.deepEqual([keys, second.next_cursor], [[['a', 'b'], ['c']], null])
  })

  it('has at most 10,000 agents, and a team 100 sets', async () => {
    const owner = await running.person()
    await running.database.query(
      `INSERT INTO managed_agents (team_id, set, key, agent_id, applied_revision, fields, applied_at, applied_by)
       SELECT $1::uuid, 'full', n::text, gen_random_uuid(), 1, '{}'::text[], 0, $1::uuid FROM generate_series(1, 10000) n
       UNION ALL
       SELECT $1::uuid, 'set-' || n, 'k', gen_random_uuid(), 1, '{}'::text[], 0, $1::uuid FROM generate_series(1, 99) n`,
      [owner.team],
    )
    const spec = SPEC
    refused(await useSet(running, owner, 'full').apply('one-more', { spec }), 409, 'set_full')
    refused(await useSet(running, owner, 'one-more').apply('k', { spec }), 409, 'too_many_sets')
    refused(await useSet(running, owner, 'one-more').plan('k', { spec }), 409, 'too_many_sets')
    ok(await useSet(running, owner, 'set-1').apply('another', { spec }), 201)
    const { body } = await running.request('GET', SETS, { token: owner.token })
    assert.deepEqual([body.results.length, body.results[0]], [100, { name: 'full', agents: 10_000 }])
    nowMs += 1_000
  })
})
