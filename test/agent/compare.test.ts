import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { AgentComparison } from '../../src/agent/history/schema.ts'
import { COLLECTION, codeOf, createAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('comparing two agents', async () => {
  const running = await useConsole()
  const person = await running.person()

  const ask = (id: string, query: string, by = person) =>
    running.request<AgentComparison>('GET', `${COLLECTION}/${id}/compare?${query}`, { token: by.token })
  const compare = async (id: string, query: string) => {
    const reply = await ask(id, query)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  it('returns each field that differs with both values, and not what every agent has of its own', async () => {
    const one = await createAgent(running, person, { agent_name: 'A', agent_params: { temperature: 1 } })
    const other = await createAgent(running, person, {
      agent_name: 'B',
      agent_params: { temperature: 1.0 },
      hub: 'h',
    })
    await putAgent(running, person, other.id, { purpose: 'p' })
    assert.deepEqual(await compare(one.id, `with=${other.id}`), {
      id: one.id,
      revision: 1,
      with_id: other.id,
      with_revision: 2,
      differences: [
        { field: 'agent_name', value: 'A', with_value: 'B' },
        { field: 'hub', value: 'custom', with_value: 'h' },
        { field: 'purpose', value: null, with_value: 'p' },
      ],
    })
    assert.deepEqual((await compare(one.id, `with=${one.id}`)).differences, [])
  })

  it('takes the agents at their revisions', async () => {
    const one = await createAgent(running, person, { purpose: 'same' })
    const other = await createAgent(running, person, { purpose: 'first' })
    await putAgent(running, person, one.id, { purpose: 'new' })
    await putAgent(running, person, other.id, { purpose: 'same' })
    const at = async (query: string) => (await compare(one.id, `with=${other.id}${query}`)).differences
    assert.deepEqual(await at('&revision=1'), [])
    assert.deepEqual(await at(''), [{ field: 'purpose', value: 'new', with_value: 'same' }])
    assert.deepEqual(await at('&revision=1&with_revision=1'), [
      { field: 'purpose', value: 'same', with_value: 'first' },
    ])
    assert.equal(codeOf(await ask(one.id, `with=${other.id}&with_revision=3`)), 'revision_not_found')
  })

  it('shows secrets as masks', async () => {
    const secret = (end: string) => `a-long-secret-0123456789-${end}`
    const one = await createAgent(running, person, {
      api_key: secret('aaaa'),
      white_box_config: { github_token: secret('bbbb') },
    })
    const other = await createAgent(running, person, {
      api_key: secret('cccc'),
      white_box_config: { github_token: secret('bbbb') },
    })
    for (const [id, name] of [
      [one.id, 'crm'],
      [one.id, 'both'],
      [other.id, 'both'],
    ] as const) {
      await running.request('PUT', `${COLLECTION}/${id}/secrets/${name}`, {
        token: person.token,
        json: { value: secret('dddd') },
      })
    }
    const { differences } = await compare(one.id, `with=${other.id}`)
    assert.deepEqual(differences, [
      { field: 'api_key', value: '********aaaa', with_value: '********cccc' },
      { field: 'secrets.crm', value: '********dddd', with_value: null },
    ])
  })

  it('says that a value was removed from history', async () => {
    const one = await createAgent(running, person, { purpose: 'gone' })
    const other = await createAgent(running, person)
    await putAgent(running, person, one.id, { purpose: 'new' })
    await running.request('POST', `${COLLECTION}/${one.id}/revisions/1/redact`, {
      token: person.token,
      json: { fields: ['purpose'] },
    })
    assert.deepEqual((await compare(one.id, `with=${other.id}&revision=1`)).differences, [
      { field: 'purpose', value: null, with_value: null },
    ])
  })

  it('finds only agents of the team: another’s and none answer alike', async () => {
    const stranger = await running.person()
    const own = await createAgent(running, person)
    const foreign = await createAgent(running, stranger, { purpose: 'canary' })
    const [another, none] = await Promise.all([
      ask(own.id, `with=${foreign.id}`),
      ask(own.id, `with=${randomUUID()}`),
    ])
    assert.deepEqual([another.status, another.text], [404, none.text])
    const missing = await running.request('GET', `${COLLECTION}/${own.id}/compare`, { token: person.token })
    assert.deepEqual(missing.body.detail[0].loc, ['query', 'with'])
  })
})
