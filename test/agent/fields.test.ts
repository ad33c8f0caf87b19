import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Agent, AgentUpdate } from '../../src/agent/schema.ts'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

/** Values that a serialiser is known to change: null, zero, empty, fractions, and what a schema does not
 * name. `[sent, read]` where the contract says that they differ. */
const open = { unknown: { deep: [null, 0, '', false, {}, []] }, 'ключ 😀': 'é\u2028"\\\n', 1: 'integer-like' }

const VALUES: Record<string, unknown[]> = {
  status: ['draft', 'creating', 'active', 'under_review', 'deprecated', 'archived', 'pending', 'rejected'],
  agent_name: ['', 'x', 'é😀', '"quoted" \\ \n\t\u007f', 'x'.repeat(255)],
  agent_url: [null, '', 'https://agents.example/a?b=c#d'],
  model_name: ['', 'gpt-x', 'модель'],
  agent_system_prompt: [null, '', 'You are kind.', '😀'.repeat(70_000)],
  hub: ['', 'openai'],
  rate_limit_requests_per_minute: [1, 100, 2_147_483_647],
  access_level: ['black_box', 'grey_box', 'white_box'],
  agent_params: [
    null,
    {},
    { temperature: 0, top_p: 0.1, max_tokens: 0, timeout: -1 },
    { temperature: 1.7, top_p: 1e-7, max_tokens: null, rag_params: null },
    { temperature: 1e300, rag_params: {}, function_route_params: { a: [1.5, null, ''], ...open } },
    open,
  ],
  mcp_config: [
    null,
    {},
    { proxy_url: '', access_level: null, server_urls: [] },
    { access_level: 'admin', server_urls: ['', 'é'], ...open },
  ],
  delegated_agents: [
    [],
    [{}],
    [{ url: '', agent_card_url: null, name: 'A', capabilities: ['search', ''] }, open],
  ],
  white_box_config: [
    null,
    {},
    { source_code: '', repo_url: null, github_token: null, repo_branch: 'main', entry_point: 'é', ...open },
  ],
  agent_metadata: [null, {}, { role: '', tags: [], version: null }, { tags: ['a', ''], ...open }],
  purpose: [null, '', 'billing'],
  protocol: ['chat_completions', 'a2a'],
  test_score: [null, '0', '1.50', '-0.25', '12345678901234567890.123456789'],
  last_tested_by: [null, '', 'me'],
  evaluated_harnesses: [null, [], ['', 'security', 'é']],
  last_evaluated_at: [null, 0, -1, 1_712_505_600, Number.MAX_SAFE_INTEGER],
  protection_status: ['unprotected', 'configured', 'guarded'],
  guard_config_id: [null, '3fa85f64-5717-4562-b3fc-2c963f66afa6', '00000000-0000-0000-0000-000000000000'],
  guard_manually_configured: [true, false],
}

const ORIGINS: Record<string, unknown[]> = {
  import_metadata: [
    { source: 'manual' },
    { source: '', source_url: null, imported_at: 0, original_format: 'é' },
    { source: 'registry', imported_at: 1_712_505_600, ...open },
  ],
  capabilities: [
    {},
    { streaming: false, push_notifications: true, memory: null, tools: [], ...open },
    { code_execution: false, delegation: true, tools: ['', 'a'] },
  ],
  skills: [
    [],
    [{ id: '', name: '', description: null, input_modes: [], output_modes: ['text'], extra: 1 }],
    [{}, { id: 5, name: null }, { anything: { at: ['all'] } }, { id: 'a' }, open],
  ],
}

describe('every field survives write and read exactly', async () => {
  const running = await useConsole()
  const person = await running.person()

  it('and the cases miss none of them', () => {
    const settable = Object.keys(AgentUpdate.properties)
    assert.deepEqual([...Object.keys(VALUES), 'api_key'].toSorted(), settable.toSorted())
  })

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
