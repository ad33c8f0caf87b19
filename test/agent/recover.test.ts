import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { AgentRevision } from '../../src/agent/history/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { startConsole, useConsole } from '../support/console.ts'

const DAY_SECONDS = 86_400

describe('a deleted agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const send = (method: string, path: string, { token } = person) =>
    running.request(method, `${COLLECTION}/${path}`, { token })
  const recover = (id: string, by = person) => send('POST', `${id}/recover`, by)
  const assertGone = async (id: string, by = person) => {
    const reply = await recover(id, by)
    assert.equal(reply.status, 404)
    assert.equal(reply.body.code, 'agent_not_found')
  }
  const setRevision = (id: string, revision: number) =>
    running.database.query(
      `WITH renumbered AS (UPDATE agent_revisions SET revision = $2 WHERE agent_id = $1)
       UPDATE agents SET revision = $2 WHERE id = $1`,
      [id, revision],
    )

  it('is recovered as it was, with revisions, scores and secrets', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const json = {
      ...{ agent_name: 'A', model_name: 'm', purpose: 'first', test_score: '1.50' },
      ...{ api_key: 'sk-canary-0123456789-AAAA', white_box_config: { github_token: 'ghp-canary' } },
    }
    const create = () => running.request('POST', COLLECTION, { token: person.token, json, headers })
    const { id } = (await create()).body
    await putAgent(running, person, id, { purpose: 'second', agent_params: { temperature: 1e300 } })
    const evaluation = { evaluation_id: randomUUID(), overall_score: 0.5, revision: 2 }
    await running.request('PUT', `${COLLECTION}/${id}/latest-evaluation`, {
      token: person.token,
      json: evaluation,
    })
    const before = (await send('GET', `${id}?include_scores=true`)).body
    const columns = () => running.database.query('SELECT * FROM agents WHERE id = $1', [id])
    const [row] = await columns()
    assert.equal((await send('DELETE', id)).status, 204)
    assert.equal((await create()).body.code, 'idempotency_agent_deleted')

    const other = await running.person({ team: person.team })
    const recovered = await recover(id, other)
    assert.equal(recovered.status, 200, recovered.text)
    assert.equal(recovered.headers.get('etag'), '"4"')
    const after = (await send('GET', `${id}?include_scores=true`)).body
    assert.deepEqual(after, { ...before, updated_at: after.updated_at })
    const { latest_evaluation: _, ...withoutScores } = after
    assert.deepEqual(recovered.body, withoutScores)
    assert.deepEqual(await columns(), [{ ...row, revision: '4', updated_at: String(after.updated_at) }])
    const secrets = (await send('GET', `${id}/secrets`)).body
    assert.deepEqual(secrets, {
      api_key: json.api_key,
      white_box_config: { github_token: json.white_box_config.github_token },
      secrets: {},
    })
    const revisions: AgentRevision[] = (await send('GET', `${id}/revisions`)).body.results
    assert.deepEqual(
      revisions.map(({ action, fields, changed_by }) => [action, fields.length, changed_by]),
      [
        ['recovered', 0, other.user],
        ['deleted', 0, person.user],
        ['updated', 2, person.user],
        ['created', 6, person.user],
      ],
    )
    for (const revision of [2, 3, 4]) {
      assert.equal((await getAgent(running, person, `${id}?revision=${revision}`)).body.purpose, 'second')
    }
    assert.equal((await create()).body.id, id)
    assert.equal((await send('POST', `${id}/revisions/1/restore`)).body.purpose, 'first')
  })

  it('is recovered once, with one event and one audit event', async () => {
    const { id } = await createAgent(running, person)
    await send('DELETE', id)
    const replies = await Promise.all([recover(id), recover(id), recover(id)])
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 404, 404],
    )
    const events = await running.database.query(
      'SELECT id, type, payload FROM outbox WHERE aggregateid = $1 ORDER BY revision',
      [id],
    )
    const payload = {
      fields: [],
      changed_by: person.user,
      changed_at: replies[statuses.indexOf(200)]?.body.updated_at,
    }
    assert.deepEqual(events.at(-1), { id: `${id}:3`, type: 'recovered', payload })
    const audit = await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })
    const [deletedRow] = await running.database.query('SELECT FROM deleted_agents WHERE id = $1', [id])
    assert.equal(deletedRow, undefined)
    const [recovered, deleted] = audit.body.results
    assert.deepEqual([recovered.action, recovered.detail], ['agent_recovered', { revision: 3, fields: [] }])
    assert.equal(deleted.action, 'agent_deleted')
    assert.deepEqual(deleted.detail, {
      revision: 2,
      fields: [],
      erase_at: deleted.detail.erase_at,
    })
    assert.ok(Math.abs(deleted.detail.erase_at - deleted.at - 7 * DAY_SECONDS) <= 1)
  })

  it('that nobody deleted, or that another team deleted, is not found', async () => {
    const { id } = await createAgent(running, person)
    await assertGone(id)
    await send('DELETE', id)
    await assertGone(id, await running.person())
    await assertGone(randomUUID())
    assert.equal((await recover(id)).status, 200)
  })

  it('needs the permission to delete', async () => {
    const { id } = await createAgent(running, person)
    await send('DELETE', id)
    const scope = 'agent:read agent:write agent:lifecycle agent:secret'
    const reply = await recover(id, await running.person({ team: person.team, scope }))
    assert.equal(reply.status, 403)
    assert.match(reply.body.detail, /agent:delete/)
  })

  it('cannot be recovered after its time, while it is erased, or if it was deleted with erase=true', async () => {
    for (const change of ['erase_at = floor(extract(epoch FROM now()))', 'is_erasing = true']) {
      const { id } = await createAgent(running, person)
      await send('DELETE', id)
      await running.database.query(`UPDATE deleted_agents SET ${change} WHERE id = $1`, [id])
      await assertGone(id)
    }
    const { id } = await createAgent(running, person)
    assert.equal((await send('DELETE', `${id}?erase=true`)).status, 204)
    const [row] = await running.database.query<{ is_erasing: boolean; erase_at: string }>(
      'SELECT is_erasing, erase_at FROM deleted_agents WHERE id = $1',
      [id],
    )
    assert.ok(row?.is_erasing && Number(row.erase_at) <= Date.now() / 1_000)
    await assertGone(id)
    const { id: kept } = await createAgent(running, person)
    assert.equal((await send('DELETE', `${kept}?erase=maybe`)).status, 422)
    assert.equal((await send('DELETE', `${kept}?erase=false`)).status, 204)
    assert.equal((await recover(kept)).status, 200)
  })

  it('keeps the rule that every hundredth revision holds a snapshot', async () => {
    for (const start of [98, 99]) {
      const { id } = await createAgent(running, person, { purpose: 'a', api_key: 'sk-canary' })
      await setRevision(id, start)
      await send('DELETE', id)
      await recover(id)
      await putAgent(running, person, id, { purpose: 'b' })
      for (const revision of [start, start + 1, start + 2]) {
        assert.equal((await getAgent(running, person, `${id}?revision=${revision}`)).body.purpose, 'a')
      }
      const rows = await running.database.query(
        'SELECT revision, snapshot::text FROM agent_revisions WHERE agent_id = $1 AND snapshot IS NOT NULL',
        [id],
      )
      assert.deepEqual(
        rows.map(({ revision }) => Number(revision)),
        [100],
      )
      assert.doesNotMatch(rows[0]?.['snapshot'], /sk-canary|sealed|fingerprint/)
    }
  })
})

it('with RECOVER_DAYS=0, a deleted agent cannot be recovered', async (t) => {
  const running = await startConsole({ environment: { RECOVER_DAYS: '0' } })
  t.after(() => running.close())
  const person = await running.person()
  const { token } = person
  const { id } = await createAgent(running, person)
  await running.request('DELETE', `${COLLECTION}/${id}`, { token })
  assert.equal((await running.request('POST', `${COLLECTION}/${id}/recover`, { token })).status, 404)
})
