import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { backfillStep } from '../../src/agents/delegation/backfill.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('the agents of an earlier version', async () => {
  const running = await useConsole()
  const { database } = running
  const person = await running.person()
  const nowSeconds = () => Math.floor(Date.now() / 1_000)

  const step = (now = nowSeconds()) =>
    running.deps.database.transaction((statements) => backfillStep(statements, now))
  const runPass = async (now = nowSeconds()) => {
    while (await step(now));
  }
  const rows = async () => ({
    delegations: await database.query('SELECT * FROM delegations ORDER BY agent_id, position'),
    addresses: await database.query(
      'SELECT team_id, agent_id, is_card, key, is_live FROM agent_addresses WHERE until_revision IS NULL ORDER BY agent_id, is_card',
    ),
  })
  const restart = () =>
    database.query(
      'UPDATE delegation_backfill SET passes_left = 2, not_before = 0, team_id = NULL, agent_id = NULL',
    )
  const forget = async () => {
    await database.query('TRUNCATE delegations, agent_addresses')
    await restart()
  }
  const limits = async (id: string): Promise<string[]> =>
    (await running.request('GET', `${COLLECTION}/${id}/delegation`, { token: person.token })).body.limits

  const leaf = await createAgent(running, person, { agent_url: 'https://leaf.example.com' })
  const root = await createAgent(running, person, {
    agent_url: 'https://root.example.com',
    import_metadata: { source_url: 'https://root.example.com/card' },
    delegated_agents: [{ url: 'https://leaf.example.com' }, { agent_id: leaf.id }, { name: 'x' }],
  })
  const gone = await createAgent(running, person, {
    agent_url: 'https://gone.example.com',
    delegated_agents: [{ agent_id: leaf.id }],
  })
  await running.request('DELETE', `${COLLECTION}/${gone.id}`, { token: person.token })
  for (let n = 0; n < 60; n++)
    await createAgent(running, await running.person(), { agent_url: `https://${n}` })

  it('get the rows that their next change would write, in bounded steps, deleted ones too', async () => {
    const before = await rows()
    await forget()
    assert.equal(await step(), true)
    const { addresses } = await rows()
    assert.ok(addresses.length > 0 && addresses.length < before.addresses.length)
    await runPass()
    assert.deepEqual(await rows(), before)
    await running.request('POST', `${COLLECTION}/${gone.id}/recover`, { token: person.token })
    const path = `${COLLECTION}/${leaf.id}/dependents`
    const { body } = await running.request('GET', path, { token: person.token })
    assert.deepEqual(
      body.results.map(({ id }: { id: string }) => id),
      [root.id, gone.id].toSorted(),
    )
  })

  it('make the graph incomplete until the first pass has ended', async () => {
    await forget()
    assert.deepEqual(await limits(root.id), ['indexing'])
    await step()
    assert.ok((await limits(leaf.id)).includes('indexing'))
    await runPass()
    assert.deepEqual(await limits(root.id), [])
    assert.equal(await step(), false)
  })

  it('are read again an hour later, because old replicas may have changed them', async () => {
    await restart()
    await runPass()
    const right = await rows()
    await database.query('UPDATE delegations SET is_live = false, label = null WHERE agent_id = $1', [
      root.id,
    ])
    await database.query('UPDATE agent_addresses SET key = $2 WHERE agent_id = $1 AND NOT is_card', [
      leaf.id,
      '\\x00',
    ])
    await runPass()
    assert.notDeepEqual(await rows(), right)
    await runPass(nowSeconds() + 3_700)
    assert.deepEqual(await rows(), right)
    assert.equal(await step(nowSeconds() + 9_000), false)
  })

  it('keep what a change writes while a step runs', async () => {
    await forget()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    // An update of another replica that has not committed yet.
    await client.query('BEGIN')
    await client.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [root.id])
    const pass = runPass()
    await client.query('UPDATE agents SET revision = revision WHERE id = $1', [root.id])
    await client.query('COMMIT')
    await client.end()
    const updates = Array.from({ length: 20 }, (_, n) =>
      putAgent(running, person, root.id, {
        agent_url: n % 3 === 0 ? null : `https://root-${n}.example.com`,
        delegated_agents: Array.from({ length: n % 4 }, (__, m) => ({
          url: `https://${n}.${m}.example.com`,
        })),
      }),
    )
    await Promise.all([pass, ...updates])
    const after = await rows()
    await forget()
    await runPass()
    assert.deepEqual(await rows(), after)
  })
})
