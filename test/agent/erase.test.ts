import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { fillTables } from '../../scripts/check-migrations/sample-rows.ts'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { COLLECTION, createAgent, getAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { insertRevisions } from '../support/revisions.ts'

describe('the erasure of deleted agents', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { database } = running.core

  const nowSeconds = () => Math.floor(Date.now() / 1_000)
  const step = (now = nowSeconds()) => eraseStep(database.system, now)
  const deleteAgent = (id: string, query = '?erase=true') =>
    running.request('DELETE', `${COLLECTION}/${id}${query}`, { token: person.token })
  const recover = (id: string) =>
    running.request('POST', `${COLLECTION}/${id}/recover`, { token: person.token })
  const remains = async (id: string) => {
    const [row] = await running.database.query(
      `SELECT (SELECT count(*) FROM deleted_agents WHERE id = $1)::int AS deleted,
        (SELECT count(*) FROM agent_revisions WHERE agent_id = $1)::int AS revisions`,
      [id],
    )
    return row as { deleted: number; revisions: number }
  }

  it('goes in steps that each erase a bounded part, until nothing of the agent is left', async () => {
    const { id } = await createAgent(running, person, { api_key: 'sk-canary-0123456789' })
    await insertRevisions(running.database, person, id, 950)
    const kept = await createAgent(running, person)
    await insertRevisions(running.database, person, kept.id, 350)
    await deleteAgent(id)
    let left = (await remains(id)).revisions
    assert.equal(left, 951)
    let steps = 0
    while (await step()) {
      const now = await remains(id)
      assert.ok(left - now.revisions <= 500, `${left - now.revisions} revisions in a step`)
      assert.equal(now.deleted, now.revisions === 0 ? 0 : 1)
      left = now.revisions
      steps++
    }
    assert.equal(left, 0)
    assert.ok(steps >= 2)
    const tables = await running.database.query(
      `SELECT (SELECT string_agg(d::text, '') FROM deleted_agents d) AS deleted,
        (SELECT string_agg(r::text, '') FROM agent_revisions r WHERE r.agent_id = $1) AS revisions`,
      [id],
    )
    assert.deepEqual(tables, [{ deleted: null, revisions: null }])
    assert.equal((await getAgent(running, person, `${kept.id}?revision=1`)).status, 200)
    assert.equal((await remains(kept.id)).revisions, 350)
  })

  it('does not begin before its time', async () => {
    const { id } = await createAgent(running, person)
    await deleteAgent(id, '')
    assert.equal(await step(), false)
    assert.equal(await step(nowSeconds() + 7 * 86_400 - 60), false)
    assert.deepEqual(await remains(id), { deleted: 1, revisions: 2 })
    assert.equal(await step(nowSeconds() + 7 * 86_400 + 60), true)
    assert.deepEqual(await remains(id), { deleted: 0, revisions: 0 })
  })

  it('that has begun cannot be undone, whatever the clock of a replica says', async () => {
    const { id } = await createAgent(running, person)
    await insertRevisions(running.database, person, id, 950)
    await deleteAgent(id, '')
    assert.equal(await step(nowSeconds() + 8 * 86_400), true)
    assert.equal((await recover(id)).status, 404)
    await running.database.query('DELETE FROM deleted_agents WHERE id = $1', [id])
  })

  it('passes over an agent that another transaction holds, and takes it later', async () => {
    const [held, free] = [await createAgent(running, person), await createAgent(running, person)]
    await deleteAgent(held.id)
    await deleteAgent(free.id)
    const holder = new Client({ connectionString: running.database.url })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM deleted_agents WHERE id = $1 FOR UPDATE', [held.id])
    assert.equal(await step(), true)
    assert.equal(await step(), false)
    assert.deepEqual(await remains(held.id), { deleted: 1, revisions: 2 })
    assert.deepEqual(await remains(free.id), { deleted: 0, revisions: 0 })
    await holder.query('ROLLBACK')
    await holder.end()
    assert.equal(await step(), true)
    assert.deepEqual(await remains(held.id), { deleted: 0, revisions: 0 })
  })

  it('by two processes at once erases everything once', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, () => createAgent(running, person)))
    for (const { id } of agents) await deleteAgent(id)
    const work = async () => {
      while (await step());
    }
    await Promise.all([work(), work(), work()])
    await work()
    for (const { id } of agents) assert.deepEqual(await remains(id), { deleted: 0, revisions: 0 })
  })
})

describe('what is left of an erased agent', async () => {
  const running = await useConsole()

  it('is in no table but those of requests and of the audit log', async () => {
    const client = new Client(running.database.url)
    await client.connect()
    await fillTables(client)
    // The only row of deleted_agents is of the same agent. Triggers remove what follows from the row of agents.
    await client.query('DELETE FROM agents')
    await client.query('UPDATE deleted_agents SET erased_revision = 0')
    while (await eraseStep(running.core.database.system, 2));
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns JOIN pg_class ON oid = table_name::regclass
       WHERE table_schema = 'public' AND column_name = 'agent_id' AND NOT relispartition ORDER BY 1`,
    )
    const left = []
    for (const { name } of tables) {
      const { rowCount } = await client.query(`SELECT FROM ${name} WHERE agent_id IS NOT NULL`)
      if (rowCount !== 0) left.push(name)
    }
    await client.end()
    const hint = 'Erase the rows of the agent in src/agent/lifecycle/erase.ts.'
    assert.deepEqual(left, ['audit_events', 'bulk_changes', 'idempotency_keys'], hint)
  })
})
