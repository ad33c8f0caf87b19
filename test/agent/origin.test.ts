import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { updateAgent } from '../../src/agent/agents.ts'
import type { Agent } from '../../src/agent/schema.ts'
import type { Caller } from '../../src/api/caller.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('the fields that describe where an agent came from', async () => {
  const running = await useConsole()
  const person = await running.person()
  const caller: Caller = {
    ...{ userId: person.user, teamId: person.team, requestId: 'r', name: null, clientId: null, via: 'api' },
    permissions: new Set(),
  }
  const change = (id: string, body: object) =>
    updateAgent(running.core, caller, id, body, { expectedRevisions: null, mayChangeOrigin: true })
  const get = async (path: string) =>
    (await running.request('GET', `${COLLECTION}/${path}`, { token: person.token })).body
  const send = (path: string, json?: object) =>
    running.request('POST', `${COLLECTION}/${path}`, { token: person.token, json })

  it('are ignored by an update, and named in the header', async () => {
    const { id } = await createAgent(running, person)
    const reply = await putAgent(running, person, id, { skills: [{ id: 'a', name: 'a' }], capabilities: {} })
    assert.equal(reply.headers.get('console-ignored-fields'), 'skills, capabilities')
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.deepEqual(reply.body.skills, [])
  })

  it('are in revisions, snapshots, diffs, restores, events and the audit log', async () => {
    const { id } = await createAgent(running, person, { skills: [{ id: 'first', name: 'first' }] })
    await running.database.query(
      `WITH renumbered AS (UPDATE agent_revisions SET revision = 97 WHERE team_id = $1 AND agent_id = $2)
       UPDATE agents SET revision = 97 WHERE team_id = $1 AND id = $2`,
      [person.team, id],
    )
    const states = new Map<number, Agent>()
    const remember = async () => {
      const { headers, body } = await getAgent(running, person, id)
      states.set(Number(headers.get('etag')?.slice(1, -1)), body)
    }
    await remember()
    for (const body of [
      { skills: [{ id: 'second', name: 'second' }], purpose: 'p' },
      { capabilities: { streaming: true } },
      { import_metadata: { source_url: 'https://cards.example/1' } },
      { skills: [], import_metadata: { source: 'a2a', source_url: 'https://cards.example/2' } },
    ]) {
      await change(id, body)
      await remember()
    }
    assert.deepEqual([...states.keys()], [97, 98, 99, 100, 101])
    assert.deepEqual(states.get(100)?.import_metadata, {
      source_url: 'https://cards.example/1',
      source: 'manual',
    })
    for (const [revision, state] of states) {
      assert.deepEqual(await get(`${id}?revision=${revision}`), state, `revision ${revision}`)
    }
    const { results } = await get(`${id}/revisions`)
    assert.deepEqual(results.map(({ fields }: { fields: string[] }) => fields).slice(0, 4), [
      ['import_metadata', 'skills'],
      ['import_metadata'],
      ['capabilities'],
      ['purpose', 'skills'],
    ])
    assert.deepEqual((await get(`${id}/revisions/99/diff`)).changes, [
      { field: 'capabilities', old: {}, new: { streaming: true } },
    ])
    const events = await running.database.query<{ payload: { fields: string[] } }>(
      'SELECT payload FROM outbox WHERE aggregateid = $1 AND revision = 101',
      [id],
    )
    assert.deepEqual(
      events.map(({ payload }) => payload.fields),
      [['import_metadata', 'skills']],
    )
    const { results: audited } = await get(`../audit-events?agent_id=${id}&field=capabilities`)
    assert.deepEqual(audited[0].detail, { revision: 99, fields: ['capabilities'] })

    const restored = await send(`${id}/revisions/98/restore`)
    assert.equal(restored.status, 200, restored.text)
    const { updated_at: _, ...expected } = states.get(98) as Agent
    const { updated_at: __, ...actual } = restored.body
    assert.deepEqual(actual, expected)
    assert.deepEqual((await get(`${id}/revisions`)).results[0].fields, [
      ...['import_metadata', 'capabilities', 'skills'],
    ])
  })

  it('make no revision when they stay the same, and null keeps them', async () => {
    const { id } = await createAgent(running, person, { capabilities: { tools: ['a'], memory: true } })
    const same = { capabilities: { memory: true, tools: ['a'] }, skills: null, import_metadata: {} }
    assert.deepEqual((await change(id, same)).fields, [])
  })

  it('count towards the size of the agent, and go back to what they were', async () => {
    const { id } = await createAgent(running, person)
    const bytes = async () =>
      (await running.database.query('SELECT bytes FROM agents WHERE id = $1', [id]))[0]?.['bytes']
    const before = await bytes()
    const large = [{ id: 'x', name: 'x'.repeat(600_000) }]
    await assert.rejects(change(id, { skills: large }), { code: 'agent_too_large' })
    await change(id, { skills: [{ id: 'é', name: 'n' }] })
    assert.equal(await bytes(), (before as number) + Buffer.byteLength('[{"id":"é","name":"n"}]') - 2)
    await change(id, { skills: [] })
    assert.equal(await bytes(), before)
  })

  it('move the address of the card that other agents delegate to', async () => {
    const url = 'https://cards.example/moved'
    const { id } = await createAgent(running, person)
    const delegating = await createAgent(running, person, { delegated_agents: [{ agent_card_url: url }] })
    const targets = async () => {
      const { nodes } = await get(`${delegating.id}/delegation`)
      return nodes.map((node: { id: string }) => node.id).filter((node: string) => node === id)
    }
    assert.deepEqual(await targets(), [])
    await change(id, { import_metadata: { source_url: url }, agent_url: 'https://agents.example' })
    assert.deepEqual(await targets(), [id])
    await change(id, { import_metadata: { source_url: 'https://cards.example/other' } })
    assert.deepEqual(await targets(), [])
  })

  it('can be redacted, and then leave a placeholder of the right kind', async () => {
    const { id } = await createAgent(running, person, {
      skills: [{ id: 'canary-skill', name: 'x' }],
      capabilities: { canary: 'canary-capability' },
      import_metadata: { source_url: 'https://canary-card.example' },
    })
    await change(id, { skills: [], capabilities: { tools: [] }, import_metadata: { source: 'clean' } })
    const fields = ['skills', 'capabilities', 'import_metadata']
    assert.equal((await send(`${id}/revisions/1/redact`, { fields })).status, 204)
    const { skills, capabilities, import_metadata } = await get(`${id}?revision=1`)
    assert.deepEqual([skills, capabilities, import_metadata], [[], {}, {}])
  })
})
