import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { OPERATIONS_BY_ID } from '../support/isolation.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

describe('deleting an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const deleteAgent = (id: string, headers: Record<string, string> = {}, token = person.token) =>
    running.request('DELETE', `${COLLECTION}/${id}`, { token, headers })
  const remains = async (id: string) => {
    const [row] = await running.database.query(
      `SELECT (SELECT count(*) FROM agents WHERE id = $1)::int AS agents,
        (SELECT count(*) FROM deleted_agents WHERE id = $1)::int AS deleted,
        (SELECT count(*) FROM agent_revisions WHERE agent_id = $1)::int AS revisions`,
      [id],
    )
    return row
  }
  const events = (id: string) =>
    running.database.query('SELECT * FROM outbox WHERE aggregateid = $1 ORDER BY revision', [id])

  it('returns 204 without a body, and hides the agent as its next revision', async () => {
    const { id } = await createAgent(running, person, { api_key: 'sk-canary', purpose: 'a' })
    await putAgent(running, person, id, { purpose: 'b' })
    const kept = await createAgent(running, person)
    const reply = await deleteAgent(id)
    assert.equal(reply.status, 204)
    assert.equal(reply.text, '')
    assert.deepEqual(await remains(id), { agents: 0, deleted: 1, revisions: 3 })
    assert.deepEqual(await remains(kept.id), { agents: 1, deleted: 0, revisions: 1 })
    const list = await running.request('GET', COLLECTION, { token: person.token })
    assert.ok(!list.text.includes(id))
  })

  for (const [operation, at] of Object.entries(OPERATIONS_BY_ID)) {
    // Only a recovery tells a deleted agent from one that never was, and only to its own team.
    if (operation.endsWith('/recover')) continue

    it(`makes ${operation} respond as if the agent had never existed`, async () => {
      const { id } = await createAgent(running, person, { purpose: 'a' })
      await putAgent(running, person, id, { purpose: 'b' })
      await deleteAgent(id)
      const before = await remains(id)
      const [method = ''] = operation.split(' ', 1)
      const replies = await Promise.all(
        [id, crypto.randomUUID()].map(async (each) => {
          const { path, options } = at(each)
          const headers = { 'x-request-id': 'same' }
          const reply = await running.request(method, path, { ...options, token: person.token, headers })
          const { date: _, ...comparable } = Object.fromEntries(reply.headers)
          return { status: reply.status, headers: comparable, text: reply.text }
        }),
      )
      assert.equal(replies[0]?.status, 404)
      assert.deepEqual(replies[0], replies[1])
      assert.deepEqual(await remains(id), before)
      assert.equal((await events(id)).length, 3)
    })
  }

  it('leaves one event, after those of its revisions', async () => {
    const { id } = await createAgent(running, person, { purpose: 'canary' })
    await putAgent(running, person, id, { purpose: 'canary-2' })
    await deleteAgent(id)
    await deleteAgent(id)
    const left = await events(id)
    assert.deepEqual(
      left.map(({ id: key, type, revision }) => [key, type, Number(revision)]),
      [
        [`${id}:1`, 'created', 1],
        [`${id}:2`, 'updated', 2],
        [`${id}:3`, 'deleted', 3],
      ],
    )
    const payload = left[2]?.['payload']
    assert.ok(Number.isInteger(payload.changed_at))
    assert.deepEqual(payload, { fields: [], changed_by: person.user, changed_at: payload.changed_at })
    assert.ok(!JSON.stringify(left).includes('canary'))
  })

  it('happens only at the revision If-Match names', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'x' })
    const stale = await deleteAgent(id, { 'if-match': '"1"' })
    assert.equal(stale.status, 412)
    assert.equal(stale.body.code, 'revision_stale')
    assert.deepEqual(await remains(id), { agents: 1, deleted: 0, revisions: 2 })
    assert.equal((await events(id)).length, 2)
    assert.equal((await deleteAgent(id, { 'if-match': '"2"' })).status, 204)
  })

  it('needs a permission of its own', async () => {
    const { id } = await createAgent(running, person)
    const scope = 'agent:read agent:write agent:lifecycle'
    const { token } = await running.person({ team: person.team, scope })
    const reply = await deleteAgent(id, {}, token)
    assert.equal(reply.status, 403)
    assert.match(reply.body.detail, /agent:delete/)
    assert.equal((await getAgent(running, person, id)).status, 200)
  })

  it('while others write leaves no gap in its revisions, and its event is the last', async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await createAgent(running, person)
      const writing = Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 4; n++) {
          const json = { purpose: `${writer} ${n}` }
          const { status } = await putAgent(running, person, id, json)
          assert.ok(status === 200 || status === 404)
        }
      })
      const deletions = await Promise.all([deleteAgent(id), deleteAgent(id)])
      assert.deepEqual(new Set(deletions.map(({ status }) => status)), new Set([204, 404]))
      await Promise.all(writing)
      const left = await events(id)
      assert.deepEqual(await remains(id), { agents: 0, deleted: 1, revisions: left.length })
      assert.deepEqual(
        left.map(({ revision }) => Number(revision)),
        left.map((_, index) => index + 1),
      )
      assert.equal(left.at(-1)?.['type'], 'deleted')
    }
  })

  it('that had to wait for a writer keeps what this writer wrote', async () => {
    const { id } = await createAgent(running, person)
    const writer = new Client({ connectionString: running.database.url })
    await writer.connect()
    await writer.query('BEGIN')
    await writer.query(`UPDATE agents SET revision = 2, purpose = 'written' WHERE id = $1`, [id])
    await writer.query(
      `INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
       VALUES ($1, $2, 2, 0, $2, 'updated', '{purpose}', '{"purpose": null}')`,
      [person.team, id],
    )
    const deletion = deleteAgent(id)
    await until('the deletion waits', async () => (await waitingForLock(running.database)).length > 0)
    await writer.query('COMMIT')
    await writer.end()
    assert.equal((await deletion).status, 204)
    assert.deepEqual(await remains(id), { agents: 0, deleted: 1, revisions: 3 })
    assert.equal((await events(id)).at(-1)?.['id'], `${id}:3`)
    const [row] = await running.database.query('SELECT revision, purpose FROM deleted_agents WHERE id = $1', [
      id,
    ])
    assert.deepEqual(row, { revision: '3', purpose: 'written' })
  })
})
