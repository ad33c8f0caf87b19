import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('an update', async () => {
  let nowMs = Date.UTC(2026, 0, 1)
  const running = await useConsole({ overrides: { now: () => Math.max(nowMs, Date.now()) } })
  const person = await running.person()

  it('replaces what it supplies and keeps the rest', async () => {
    const before = await createAgent(running, person, { purpose: 'billing', agent_url: 'https://a.example' })
    const { body } = await putAgent(running, person, before.id, { purpose: 'support' })
    assert.deepEqual(body, { ...before, purpose: 'support', updated_at: body.updated_at })
  })

  it('with null clears a field that may be null', async () => {
    const full = {
      agent_url: 'x',
      agent_system_prompt: 'x',
      agent_params: { temperature: 1 },
      mcp_config: { proxy_url: 'x' },
      white_box_config: { repo_url: 'x' },
      agent_metadata: { role: 'x' },
      purpose: 'x',
      test_score: '1',
      last_tested_by: 'x',
      evaluated_harnesses: ['x'],
      last_evaluated_at: 1,
      guard_config_id: randomUUID(),
      api_key: 'x',
    }
    const { id } = await createAgent(running, person, full)
    for (const field of Object.keys(full)) {
      const { body } = await putAgent(running, person, id, { [field]: null })
      assert.equal(body[field as keyof typeof body], null, field)
    }
  })

  it('with null keeps a field that may not be null, and makes no revision', async () => {
    const kept = {
      agent_name: 'kept',
      model_name: 'kept',
      hub: 'kept',
      rate_limit_requests_per_minute: 7,
      status: 'archived',
      access_level: 'white_box',
      delegated_agents: [{ name: 'kept' }],
      protocol: 'a2a',
      protection_status: 'guarded',
      guard_manually_configured: true,
    }
    const created = await createAgent(running, person, kept)
    const reply = await putAgent(
      running,
      person,
      created.id,
      Object.fromEntries(Object.keys(kept).map((field) => [field, null])),
    )
    assert.deepEqual(reply.body, created)
    assert.equal(reply.headers.get('etag'), '"1"')
  })

  it('makes the next revision when something changes, and none when nothing does', async () => {
    const { id } = await createAgent(running, person, { agent_params: { a: 1, b: [1, 2] } })
    const renamed = await putAgent(running, person, id, { agent_name: 'renamed' })
    assert.equal(renamed.headers.get('etag'), '"2"')
    for (const same of [
      {},
      { agent_name: 'renamed' },
      { agent_params: { b: [1, 2], a: 1.0 } },
      renamed.body,
    ]) {
      const reply = await putAgent(running, person, id, same)
      assert.equal(reply.headers.get('etag'), '"2"', JSON.stringify(same))
      assert.equal(reply.body.updated_at, renamed.body.updated_at)
    }
    const reply = await putAgent(running, person, id, { agent_params: { a: 1, b: [2, 1] } })
    assert.equal(reply.headers.get('etag'), '"3"')
  })

  it('makes no revision for the same number in another form', async () => {
    const { id } = await createAgent(running, person, { test_score: '1.50', agent_params: { zero: 0 } })
    for (const raw of [
      '{"test_score": "+01.5"}',
      '{"test_score": 1.500}',
      '{"test_score": "1.5000", "last_evaluated_at": null}',
      '{"agent_params": {"zero": -0}}',
      '{"agent_params": {"zero": 0.0e5}}',
    ]) {
      const reply = await running.request('PUT', `${COLLECTION}/${id}`, { token: person.token, raw })
      assert.equal(reply.headers.get('etag'), '"1"', raw)
      assert.equal(reply.body.test_score, '1.50')
    }
    for (const [sent, shown] of [
      ['-0.00', '0.00'],
      ['-.5', '-0.5'],
      ['000', '0'],
    ]) {
      const { body } = await putAgent(running, person, id, { test_score: sent })
      assert.equal(body.test_score, shown)
      assert.deepEqual((await getAgent(running, person, id)).body, body)
    }
  })

  it('takes a whole agent back and names the fields it ignored', async () => {
    const created = await createAgent(running, person)
    const reply = await putAgent(running, person, created.id, {
      ...created,
      id: randomUUID(),
      team_id: randomUUID(),
      trust_stage: 'trusted',
      created_at: 'yesterday',
      skills: 'none',
      purpose: 'edited',
      'odd, näme\r\nx: y': 1,
    })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body, { ...created, purpose: 'edited', updated_at: reply.body.updated_at })
    assert.deepEqual(reply.headers.get('console-ignored-fields')?.split(', ').map(decodeURIComponent), [
      ...['id', 'team_id', 'created_by', 'created_at', 'updated_at', 'trust_stage', 'trusted_at'],
      ...['ttt_days', 'import_metadata', 'capabilities', 'skills', 'odd, näme\r\nx: y'],
    ])
    const plain = await putAgent(running, person, created.id, { purpose: 'x' })
    assert.equal(plain.headers.get('console-ignored-fields'), null)
  })

  it('never moves updated_at back, even when the clock does', async () => {
    const { id } = await createAgent(running, person)
    nowMs = Date.now() + 3_600_000
    const ahead = await putAgent(running, person, id, { purpose: 'ahead' })
    nowMs = 0
    const behind = await putAgent(running, person, id, { purpose: 'behind' })
    assert.equal(behind.headers.get('etag'), '"3"')
    assert.equal(behind.body.updated_at, ahead.body.updated_at)
  })

  it('normalises an id in any accepted UUID format', async () => {
    const { id } = await createAgent(running, person)
    const guard = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
    for (const spell of [
      (uuid: string) => uuid.toUpperCase(),
      (uuid: string) => uuid.replaceAll('-', ''),
      (uuid: string) => `urn:uuid:${uuid}`,
      (uuid: string) => `{${uuid}}`,
    ]) {
      await putAgent(running, person, id, { guard_config_id: null })
      const reply = await putAgent(running, person, encodeURIComponent(spell(id)), {
        guard_config_id: spell(guard),
      })
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.id, id)
      assert.equal(reply.body.guard_config_id, guard)
    }
  })

  it('with If-Match happens only at a revision it names', async () => {
    const { id } = await createAgent(running, person)
    const to = (purpose: string, tag: string) =>
      putAgent(running, person, id, { purpose }, { 'if-match': tag })
    assert.equal((await to('a', '"1"')).status, 200)
    for (const stale of ['"1"', '"3"', 'W/"2"', '1', '"x"', '"02"', '""', '"9999999999999999999"']) {
      const reply = await to('b', stale)
      assert.equal(reply.status, 412, stale)
      assert.equal((reply.body as unknown as { code: string }).code, 'revision_stale')
    }
    assert.equal((await to('c', '"1", "2"')).status, 200)
    assert.equal((await to('d', '*')).status, 200)
    assert.equal((await getAgent(running, person, id)).body.purpose, 'd')
  })

  it('with a stale If-Match is refused even when it would change nothing', async () => {
    const { id } = await createAgent(running, person, { purpose: 'same' })
    const reply = await putAgent(running, person, id, { purpose: 'same' }, { 'if-match': '"7"' })
    assert.equal(reply.status, 412)
  })

  it('of an agent that is not there is a 404, with If-Match too', async () => {
    const reply = await putAgent(running, person, randomUUID(), { purpose: 'x' }, { 'if-match': '"1"' })
    assert.equal(reply.status, 404)
  })
})

describe('a read', async () => {
  const running = await useConsole()
  const person = await running.person()

  it('with If-None-Match of the present revision is a 304 without a body', async () => {
    const { id } = await createAgent(running, person)
    for (const tag of ['"1"', 'W/"1"', '"7", "1"', '*']) {
      const reply = await getAgent(running, person, id, { headers: { 'if-none-match': tag } })
      assert.equal(reply.status, 304, tag)
      assert.equal(reply.text, '')
      assert.equal(reply.headers.get('etag'), '"1"')
    }
    await putAgent(running, person, id, { purpose: 'x' })
    const reply = await getAgent(running, person, id, { headers: { 'if-none-match': '"1"' } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('etag'), '"2"')
  })

  it('is the same with a trailing slash', async () => {
    const { id } = await createAgent(running, person)
    const [plain, slashed] = await Promise.all([
      getAgent(running, person, id),
      running.request('GET', `${COLLECTION}/${id}/`, { token: person.token }),
    ])
    assert.equal(slashed.status, 200)
    assert.equal(slashed.text, plain.text)
  })

  it('returns the same for HEAD as for GET, without the body', async () => {
    const { id } = await createAgent(running, person)
    const reply = await running.request('HEAD', `${COLLECTION}/${id}`, { token: person.token })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.equal(reply.text, '')
  })
})

describe('a creation', async () => {
  const running = await useConsole()
  const person = await running.person()

  it('needs the two names and returns the path of the agent', async () => {
    const none = await running.request('POST', COLLECTION, { token: person.token, json: {} })
    assert.equal(none.status, 422)
    assert.deepEqual(
      none.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc, type]),
      [
        [['body', 'agent_name'], 'missing'],
        [['body', 'model_name'], 'missing'],
      ],
    )
    const created = await running.request('POST', COLLECTION, {
      token: person.token,
      json: { agent_name: 'A', model_name: 'm', team_id: randomUUID() },
    })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('location'), `${COLLECTION}/${created.body.id}`)
    assert.equal(created.headers.get('etag'), '"1"')
    assert.equal(created.headers.get('console-ignored-fields'), 'team_id')
    assert.equal(created.body.team_id, person.team)
  })

  it('refuses null for the two names, and takes null in any other field as absent', async () => {
    const refused = await running.request('POST', COLLECTION, {
      token: person.token,
      json: { agent_name: null, model_name: 'm' },
    })
    assert.equal(refused.body.detail[0].type, 'string_type')
    const created = await createAgent(running, person, {
      ...{ hub: null, status: null, skills: null, capabilities: null, import_metadata: null },
      ...{ delegated_agents: null, guard_manually_configured: null, api_key: null },
    })
    assert.equal(created.hub, 'custom')
    assert.equal(created.status, 'active')
    assert.deepEqual(created.skills, [])
    assert.deepEqual(created.import_metadata, { source: 'manual' })
  })
})
