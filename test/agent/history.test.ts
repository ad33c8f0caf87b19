import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole, useReplica } from '../support/console.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

describe('the history of an agent', async () => {
  const running = await useConsole()
  const replica = await useReplica(running)
  const person = await running.person()

  const get = (path: string) => running.request('GET', `${COLLECTION}/${path}`, { token: person.token })
  const restore = (id: string, revision: number, headers: Record<string, string> = {}, at = running) =>
    at.request('POST', `${COLLECTION}/${id}/revisions/${revision}/restore`, {
      token: person.token,
      headers,
    })

  it('lists who changed which fields, and when, newest first', async () => {
    const created = await createAgent(running, person, { purpose: 'a', api_key: 'one' })
    const other = await running.person({ team: person.team })
    const updated = await putAgent(running, other, created.id, { purpose: 'b', status: 'draft', hub: null })
    await putAgent(running, person, created.id, { api_key: 'two', purpose: 'b' })
    const { body } = await get(`${created.id}/revisions`)
    const unrestored = { changed_by_name: null, restored_revision: null, reason: null, redacted: [] }
    assert.deepEqual(body, {
      results: [
        {
          ...{ revision: 3, action: 'updated', changed_by: person.user, fields: ['api_key'], ...unrestored },
          changed_at: body.results[0].changed_at,
        },
        {
          ...{
            revision: 2,
            action: 'updated',
            changed_by: other.user,
            fields: ['status', 'purpose'],
            ...unrestored,
          },
          changed_at: updated.body.updated_at,
        },
        {
          ...{ revision: 1, action: 'created', changed_by: person.user, ...unrestored },
          fields: ['agent_name', 'model_name', 'api_key', 'purpose'],
          changed_at: created.created_at,
        },
      ],
      next_cursor: null,
    })
  })

  it('comes in pages that neither miss nor repeat, and a cursor belongs to its agent', async () => {
    const { id } = await createAgent(running, person)
    const stranger = await createAgent(running, person)
    for (let n = 2; n <= 12; n++) await putAgent(running, person, id, { purpose: String(n) })
    const seen: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await get(`${id}/revisions?limit=5${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.results.map(({ revision }: { revision: number }) => revision))
      cursor = body.next_cursor
      if (seen.length === 5) {
        const foreign = await get(`${stranger.id}/revisions?cursor=${cursor}`)
        assert.equal(foreign.status, 422)
        assert.deepEqual(foreign.body.detail[0].loc, ['query', 'cursor'])
      }
    }
    assert.deepEqual(seen, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    const first = (await get(`${id}/revisions?limit=5`)).body.next_cursor
    const forged = Buffer.from(first, 'base64url').toString().replace(/,.*/, ',"x"]')
    for (const bad of ['x', 'bnVsbA', 'W10', '%00', Buffer.from(forged).toString('base64url')]) {
      assert.equal((await get(`${id}/revisions?cursor=${bad}`)).status, 422, bad)
    }
    for (const limit of [0, 501, 'x']) assert.equal((await get(`${id}/revisions?limit=${limit}`)).status, 422)
  })

  it('shows the agent as it was at any revision, by two ways, with its ETag', async () => {
    const created = await createAgent(running, person, {
      purpose: 'a',
      test_score: '12345678901234567890.5',
      agent_params: { temperature: 1e300, z: 1, a: 2 },
      api_key: 'sk-first-0123456789-AAAA',
    })
    const states = [(await getAgent(running, person, created.id)).body]
    for (const change of [
      { purpose: null },
      { test_score: '2', agent_params: null },
      { purpose: 'b', agent_params: {} },
      { api_key: 'sk-second-0123456789-BBBB' },
      { white_box_config: { github_token: 'ghp-third-0123456789-CCCC' } },
      { agent_name: 'renamed', delegated_agents: [{ name: 'x' }] },
    ]) {
      await putAgent(running, person, created.id, change)
      states.push((await getAgent(running, person, created.id)).body)
    }
    for (const [index, state] of states.entries()) {
      const revision = index + 1
      for (const path of [`${created.id}/revisions/${revision}`, `${created.id}?revision=${revision}`]) {
        const reply = await get(path)
        assert.equal(reply.headers.get('etag'), `"${revision}"`)
        assert.deepEqual(reply.body, state, `revision ${revision}`)
      }
    }
  })

  it('has no revision but those that were made', async () => {
    const { id } = await createAgent(running, person)
    for (const path of [
      `${id}/revisions/2`,
      `${id}?revision=2`,
      `${id}/revisions/2/diff`,
      `${id}/revisions/1/diff?against=9`,
    ]) {
      const reply = await get(path)
      assert.equal(reply.status, 404, path)
      assert.equal(reply.body.code, 'revision_not_found')
    }
    assert.equal((await restore(id, 2)).body.code, 'revision_not_found')
    for (const bad of ['0', '-1', 'x', '1.5', '99999999999999999999']) {
      assert.equal((await get(`${id}/revisions/${bad}`)).status, 422, bad)
    }
    for (const path of ['/revisions', '/revisions/1', '/revisions/1/diff', '?revision=1']) {
      assert.equal((await get(`${randomUUID()}${path}`)).body.code, 'agent_not_found')
    }
  })

  it('tells two revisions apart field by field, either way round', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a', hub: 'h' })
    await putAgent(running, person, id, { purpose: 'b', hub: 'i' })
    await putAgent(running, person, id, { purpose: 'c', hub: 'h' })
    assert.deepEqual((await get(`${id}/revisions/3/diff`)).body, {
      revision: 3,
      against: 2,
      changes: [
        { field: 'hub', old: 'i', new: 'h' },
        { field: 'purpose', old: 'b', new: 'c' },
      ],
    })
    assert.deepEqual((await get(`${id}/revisions/3/diff?against=1`)).body.changes, [
      { field: 'purpose', old: 'a', new: 'c' },
    ])
    assert.deepEqual((await get(`${id}/revisions/1/diff?against=3`)).body.changes, [
      { field: 'purpose', old: 'c', new: 'a' },
    ])
    assert.deepEqual((await get(`${id}/revisions/1/diff`)).body.changes, [])
  })

  it('tells nothing of what was changed and changed back, with no secret in it', async () => {
    const { id } = await createAgent(running, person, { white_box_config: { repo_url: 'a' } })
    await putAgent(running, person, id, { white_box_config: { repo_url: 'b' }, api_key: 'x' })
    await putAgent(running, person, id, { white_box_config: { repo_url: 'a' }, api_key: null })
    assert.deepEqual((await get(`${id}/revisions/3/diff?against=1`)).body.changes, [])
  })

  it('tells that a secret changed, even behind the same mask', async () => {
    const { id } = await createAgent(running, person, { api_key: 'one' })
    await putAgent(running, person, id, { api_key: 'two' })
    assert.deepEqual((await get(`${id}/revisions/2/diff`)).body.changes, [
      { field: 'api_key', old: '********', new: '********' },
    ])
  })

  it('is restored as a new revision', async () => {
    const { id } = await createAgent(running, person, {
      purpose: 'a',
      agent_params: { a: 1 },
      test_score: '1.50',
    })
    const first = (await getAgent(running, person, id)).body
    await putAgent(running, person, id, {
      purpose: null,
      agent_params: { b: 2 },
      test_score: null,
      status: 'archived',
    })
    const restored = await restore(id, 1)
    assert.equal(restored.status, 200, restored.text)
    assert.equal(restored.headers.get('etag'), '"3"')
    assert.deepEqual(restored.body, { ...first, updated_at: restored.body.updated_at })
    const { body } = await get(`${id}/revisions?limit=1`)
    assert.equal(body.results[0].action, 'restored')
    assert.equal(body.results[0].restored_revision, 1)
    assert.deepEqual(body.results[0].fields, ['status', 'agent_params', 'purpose', 'test_score'])
    assert.equal((await restore(id, 3)).headers.get('etag'), '"3"', 'the present one is no change')
  })

  it('is restored with the secrets of today', async () => {
    const { id } = await createAgent(running, person, {
      api_key: 'sk-first-0123456789-AAAA',
      white_box_config: { repo_url: 'then', github_token: 'ghp-first-0123456789-AAAA' },
    })
    await putAgent(running, person, id, {
      api_key: 'sk-second-0123456789-BBBB',
      white_box_config: { repo_url: 'now', github_token: 'ghp-second-0123456789-BBBB' },
      purpose: 'x',
    })
    const sealed = async () =>
      running.database.query('SELECT api_key_sealed, github_token_sealed FROM agents WHERE id = $1', [id])
    const before = await sealed()
    const { body } = await restore(id, 1)
    assert.equal(body.api_key, '********BBBB')
    assert.deepEqual(body.white_box_config, { repo_url: 'then', github_token: '********BBBB' })
    assert.equal(body.purpose, null)
    assert.deepEqual(await sealed(), before)
    await putAgent(running, person, id, { api_key: null, white_box_config: null })
    const again = await restore(id, 1)
    assert.equal(again.body.api_key, null)
    assert.deepEqual(again.body.white_box_config, { repo_url: 'then' })
  })

  it('is restored only at the revision that If-Match names', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a' })
    await putAgent(running, person, id, { purpose: 'b' })
    assert.equal((await restore(id, 1, { 'if-match': '"1"' })).status, 412)
    assert.equal((await restore(id, 1, { 'if-match': '"2"' })).status, 200)
  })

  it('is restored while others write', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a' })
    let isDone = false
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isDone; n++) await putAgent(running, person, id, { hub: `${writer} ${n}` })
    })
    const statuses = []
    for (let n = 0; n < 10; n++) statuses.push((await restore(id, 1, {}, replica)).status)
    isDone = true
    await Promise.all(writing)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })

  it('keeps a token that was set during a restore', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a' })
    await putAgent(running, person, id, { purpose: 'changed' })
    const locker = new Client({ connectionString: running.database.url })
    await locker.connect()
    await locker.query('BEGIN')
    await locker.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [id])
    const waiting = (count: number) =>
      until(`${count} wait`, async () => (await waitingForLock(running.database)).length === count)
    const token = 'ghp-0123456789-abcdefgh-WXYZ'
    const write = putAgent(running, person, id, { purpose: 'b', white_box_config: { github_token: token } })
    await waiting(1)
    const restored = restore(id, 1, { 'if-match': '"2", "3"' }, replica)
    await waiting(2)
    await locker.query('COMMIT')
    await locker.end()
    assert.equal((await write).headers.get('etag'), '"3"')
    assert.equal((await restored).headers.get('etag'), '"4"')
    assert.deepEqual((await restored).body.white_box_config, { github_token: '********WXYZ' })
    assert.equal((await get(`${id}/secrets`)).body.white_box_config.github_token, token)
  })

  it('grows with what changed: a renamed agent does not copy its prompt', async () => {
    const { id } = await createAgent(running, person, { agent_system_prompt: 'x'.repeat(65_536) })
    for (let n = 0; n < 20; n++) await putAgent(running, person, id, { agent_name: `name ${n}` })
    const [row] = await running.database.query<{ bytes: number }>(
      'SELECT sum(pg_column_size(r.*))::int AS bytes FROM agent_revisions r WHERE agent_id = $1 AND revision > 1',
      [id],
    )
    assert.ok((row?.bytes ?? 0) < 20 * 300, `${row?.bytes} bytes`)
  })

  it('leaves one event for each revision, with the names of fields and none of their values', async () => {
    const { id } = await createAgent(running, person, { purpose: 'canary', api_key: 'canary-key' })
    await putAgent(running, person, id, { purpose: 'canary-2', hub: 'canary' })
    await putAgent(running, person, id, { purpose: 'canary-2' })
    const events = await running.database.query(
      'SELECT * FROM outbox WHERE aggregateid = $1 ORDER BY revision',
      [id],
    )
    assert.deepEqual(
      events.map(({ id: key, type }) => [key, type]),
      [
        [`${id}:1`, 'created'],
        [`${id}:2`, 'updated'],
      ],
    )
    assert.deepEqual(events[1]?.['payload']['fields'], ['hub', 'purpose'])
    assert.ok(!JSON.stringify(events).includes('canary'))
  })
})
