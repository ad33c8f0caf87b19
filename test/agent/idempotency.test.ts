import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

const BODY = {
  agent_name: 'Agent',
  model_name: 'model',
  purpose: 'first',
  test_score: 1.5,
  api_key: 'sk-0123456789-abcdefghij-WXYZ',
  white_box_config: { repo_url: 'r', github_token: 'ghp-0123456789-abcdefgh-WXYZ' },
}

describe('a creation with an Idempotency-Key', async () => {
  const running = await useConsole()
  const person = await running.person()

  const create = (key: string, json: unknown = BODY, token = person.token) =>
    running.request<Agent & { code: string; detail: { loc: string[]; type: string }[] }>('POST', COLLECTION, {
      token,
      json,
      headers: { 'idempotency-key': key },
    })
  const rows = async (sql: string, values: unknown[] = [person.team]) =>
    (await running.database.query<{ count: number }>(sql, values))[0]?.count
  const agents = () => rows('SELECT count(*)::int FROM agents WHERE team_id = $1')

  it('sent again returns the first response with secrets, ETag and Location', async () => {
    const key = randomUUID()
    const body = { ...BODY, unknown: 1 }
    const first = await create(key, body)
    assert.equal(first.status, 201, first.text)
    assert.equal(first.body.api_key, BODY.api_key)
    const before = await agents()
    for (const again of [
      await create(key, body),
      await create(key, Object.fromEntries(Object.entries(body).toReversed())),
    ]) {
      assert.equal(again.status, 201)
      assert.equal(again.text, first.text)
      for (const name of ['etag', 'location', 'console-ignored-fields']) {
        assert.equal(again.headers.get(name), first.headers.get(name), name)
        assert.ok(again.headers.get(name))
      }
    }
    assert.equal(await agents(), before)
  })

  it('sent again after changes returns the agent as it was created, and changes nothing', async () => {
    const key = randomUUID()
    const first = await create(key)
    const { id } = first.body
    await putAgent(running, person, id, { purpose: 'second', api_key: 'other', white_box_config: null })
    await running.request('PUT', `${COLLECTION}/${id}/lifecycle`, {
      token: person.token,
      json: { trust_stage: 'trusted' },
    })
    const now = await getAgent(running, person, id)
    const again = await create(key)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('etag'), '"1"')
    assert.equal((await getAgent(running, person, id)).text, now.text)
  })

  it('sent fifty times at once makes one agent, one revision and one event, and one response', async () => {
    const busy = await running.person()
    const key = randomUUID()
    const replies = await Promise.all(Array.from({ length: 50 }, () => create(key, BODY, busy.token)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
    for (const table of ['agents', 'agent_revisions', 'outbox', 'idempotency_keys']) {
      assert.equal(await rows(`SELECT count(*)::int FROM ${table} WHERE team_id = $1`, [busy.team]), 1, table)
    }
  })

  it('is refused for another body, and then changes nothing', async () => {
    const key = randomUUID()
    const first = await create(key)
    const before = await agents()
    for (const other of [
      { ...BODY, purpose: 'second' },
      { ...BODY, api_key: 'sk-9999999999-abcdefghij-WXYZ' },
      { ...BODY, unknown: 1 },
      { ...BODY, delegated_agents: [{ name: 'b' }, { name: 'a' }] },
    ]) {
      const reply = await create(key, other)
      assert.equal(reply.status, 409)
      assert.equal(reply.body.code, 'idempotency_conflict')
    }
    assert.equal(await agents(), before)
    assert.equal((await create(key)).text, first.text)
  })

  it('of two bodies at once goes to one of them, and the other is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const replies = await Promise.all(['a', 'b'].map((purpose) => create(key, { ...BODY, purpose })))
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201, 409]))
    }
  })

  it('belongs to its user: others may use the same key, in another team and in the same one', async () => {
    const key = randomUUID()
    const first = await create(key)
    const others = [await running.person(), await running.person({ team: person.team })]
    for (const other of others) {
      const theirs = await create(key, { ...BODY, purpose: 'theirs' }, other.token)
      assert.equal(theirs.status, 201)
      assert.deepEqual([theirs.body.team_id, theirs.body.created_by], [other.team, other.user])
      assert.notEqual(theirs.body.id, first.body.id)
    }
    assert.equal((await create(key)).text, first.text)
  })

  it('of another member of the team tells nothing about a secret', async () => {
    const key = randomUUID()
    await create(key, { ...BODY, api_key: '1234' })
    const colleague = await running.person({ team: person.team, scope: 'agent:write' })
    const statuses = new Set<number>()
    for (const api_key of ['1233', '1234', '1235']) {
      statuses.add((await create(key, { ...BODY, api_key }, colleague.token)).status)
    }
    // The colleague's own first request took the key; the right guess is refused like the others.
    assert.deepEqual([...statuses], [201, 409])
  })

  it('with another body leaves an audit event for each attempt, without the key', async () => {
    const key = randomUUID()
    const { id } = (await create(key)).body
    const events = async () =>
      (await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })).body.results
    await create(key)
    assert.equal((await events()).length, 1)
    for (const purpose of ['second', 'third']) await create(key, { ...BODY, purpose })
    const [last, before] = await events()
    for (const event of [last, before]) {
      const { action, user_id, agent_id, detail } = event
      assert.deepEqual(
        { action, user_id, agent_id, detail },
        { action: 'idempotency_conflict', user_id: person.user, agent_id: id, detail: {} },
      )
      assert.ok(!JSON.stringify(event).includes(key))
    }
  })

  it('that was refused by the contract leaves its key free', async () => {
    const key = randomUUID()
    assert.equal((await create(key, { ...BODY, api_key: '********WXYZ' })).status, 422)
    assert.equal((await create(key, { agent_name: 'only' })).status, 422)
    assert.equal((await create(key)).status, 201)
  })

  it('does not bring a deleted agent back, and says that it was deleted', async () => {
    const key = randomUUID()
    const { id } = (await create(key)).body
    await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
    const before = await agents()
    const reply = await create(key)
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'idempotency_agent_deleted')
    assert.match(reply.text, /has been deleted\. Use a new key/)
    const other = await create(key, { ...BODY, purpose: 'x' })
    assert.equal(other.status, 409)
    assert.equal(other.body.code, 'idempotency_conflict')
    assert.equal(await agents(), before)
  })

  it('keeps nothing of the body, and no hash that two creations have in common', async () => {
    const key = randomUUID()
    await create(key)
    const [row] = await running.database.query<{ request_hash: Buffer }>(
      'SELECT * FROM idempotency_keys WHERE key = $1',
      [`${person.user}:${key}`],
    )
    assert.equal(row?.request_hash.length, 32)
    assert.ok(!JSON.stringify(row).includes('WXYZ'))
    const other = randomUUID()
    await create(other)
    assert.equal(
      await rows('SELECT count(DISTINCT request_hash)::int FROM idempotency_keys WHERE key IN ($1, $2)', [
        `${person.user}:${key}`,
        `${person.user}:${other}`,
      ]),
      2,
    )
  })

  it('is named by 1 to 255 printable characters', async () => {
    for (const [key, type] of [
      ['', 'string_too_short'],
      ['k'.repeat(256), 'string_too_long'],
      ['tab\tbed', 'string_pattern_mismatch'],
      ['é', 'string_pattern_mismatch'],
    ] as const) {
      const reply = await create(key)
      assert.equal(reply.status, 422, key)
      assert.equal(reply.body.detail.length, 1)
      assert.deepEqual(reply.body.detail[0]?.loc, ['header', 'idempotency-key'])
      assert.equal(reply.body.detail[0]?.type, type)
    }
    for (const key of ['k', 'k'.repeat(255), `a "quoted", {key}~ ${randomUUID()}`]) {
      assert.equal((await create(key)).status, 201, key)
    }
    const both = await create('', { agent_name: 'a' })
    assert.deepEqual(
      both.body.detail.map(({ loc }) => loc.join('.')),
      ['header.idempotency-key', 'body.model_name'],
    )
  })

  it('without a key makes an agent each time', async () => {
    const send = () => running.request<Agent>('POST', COLLECTION, { token: person.token, json: BODY })
    assert.notEqual((await send()).body.id, (await send()).body.id)
  })
})

describe('a retry after the keyring was rotated', async () => {
  const [old, fresh] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`) as [
    string,
    string,
  ]
  const running = await useConsole({ environment: { SECRETS_KEYS: old } })
  const rotated = await useConsole({
    environment: {
      SECRETS_KEYS: `${fresh},${old}`,
      DATABASE_URL: running.database.url,
      AUTH_ISSUER: running.issuer.url,
    },
  })

  it('is recognised, as long as the old key is in the keyring', async () => {
    const { token } = await running.person()
    const options = { token, json: BODY, headers: { 'idempotency-key': 'k' } }
    const first = await running.request('POST', COLLECTION, options)
    const again = await rotated.request('POST', COLLECTION, options)
    assert.equal(again.status, 201, again.text)
    assert.equal(again.text, first.text)
    await rotated.request('POST', COLLECTION, { ...options, headers: { 'idempotency-key': 'l' } })
    const forgotten = await running.request('POST', COLLECTION, {
      ...options,
      headers: { 'idempotency-key': 'l' },
    })
    assert.equal(forgotten.status, 409, 'a console without the key cannot compare the hash')
  })
})
