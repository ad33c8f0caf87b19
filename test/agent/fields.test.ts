import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Agent } from '../../src/agent/schema.ts'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { FIELD_NAMES, OPEN_VALUE, valuesOf } from '../support/field-values.ts'

const VALUES = Object.fromEntries(FIELD_NAMES.map((name) => [name, valuesOf(name)]))

const ORIGINS: Record<string, unknown[]> = {
  import_metadata: [
    { source: 'manual' },
    { source: '', source_url: null, imported_at: 0, original_format: 'é' },
    { source: 'registry', imported_at: 1_712_505_600, ...OPEN_VALUE },
  ],
  capabilities: [
    {},
    { streaming: false, push_notifications: true, memory: null, tools: [], ...OPEN_VALUE },
    { code_execution: false, delegation: true, tools: ['', 'a'] },
  ],
  skills: [
    [],
    [{ id: '', name: '', description: null, input_modes: [], output_modes: ['text'], extra: 1 }],
    [{}, { id: 5, name: null }, { anything: { at: ['all'] } }, { id: 'a' }, OPEN_VALUE],
  ],
}

describe('every field survives write and read exactly', async () => {
  const running = await useConsole()
  const person = await running.person()

  for (const [field, values] of Object.entries(VALUES)) {
    it(`${field} through an update`, async () => {
      const { id } = await createAgent(running, person)
      for (const value of values) {
        const written = await putAgent(running, person, id, { [field]: value })
        assert.equal(written.status, 200, written.text)
        const read = await getAgent(running, person, id)
        assert.deepEqual(read.body[field as keyof Agent], value)
        assert.deepEqual(written.body, read.body)
      }
    })
  }

  for (const [field, values] of Object.entries({ ...VALUES, ...ORIGINS })) {
    it(`${field} through a creation`, async () => {
      for (const value of values) {
        const created = await createAgent(running, person, { [field]: value })
        const read = await getAgent(running, person, created.id)
        assert.deepEqual(read.body[field as keyof Agent], value)
        assert.deepEqual(created, read.body)
      }
    })
  }

  it('a response has every field of Agent but the scores, in the order of the contract', async () => {
    const created = await createAgent(running, person)
    const { latest_evaluation: _, ...fields } = Agent.properties
    assert.deepEqual(Object.keys(created), Object.keys(fields))
  })

  it('a new agent has the defaults of the contract', async () => {
    const created = await createAgent(running, person)
    for (const [field, schema] of Object.entries(Agent.properties)) {
      const expected = (schema as { default?: unknown }).default
      if (expected !== undefined) assert.deepEqual(created[field as keyof Agent], expected, field)
    }
    assert.deepEqual(created.delegated_agents, [])
    assert.deepEqual(created.skills, [])
    assert.deepEqual(created.capabilities, {})
    assert.deepEqual(created.import_metadata, { source: 'manual' })
    assert.equal(created.created_by, person.user)
    assert.equal(created.team_id, person.team)
    assert.match(created.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  it('a decimal is returned in plain notation, in whatever form it was sent', async () => {
    const { id } = await createAgent(running, person)
    for (const [sent, read] of [
      ['"+.5"', '0.5'],
      ['"1."', '1'],
      ['"007"', '7'],
      ['87', '87'],
      ['1e-7', '0.0000001'],
      ['1.5e3', '1500'],
      ['12345678901234567890.12345678901234567890', '12345678901234567890.12345678901234567890'],
      ['"-0.10"', '-0.10'],
      ['-0.30', '-0.30'],
    ]) {
      const reply = await running.request('PUT', `/v1/agent-configurations/${id}`, {
        token: person.token,
        raw: `{"test_score": ${sent}}`,
      })
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.test_score, read, sent)
    }
  })
})
