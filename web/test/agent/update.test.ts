import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { EMPTY_ROW } from '../../src/agent/fields/delegates.ts'
import { type FormValues, toForm } from '../../src/agent/fields/form.ts'
import { DELEGATES, FIELDS, SECRETS, splitPath } from '../../src/agent/fields/table.ts'
import { toUpdate } from '../../src/agent/fields/update.ts'
import { sampleAgent } from './sample.ts'

interface Schema {
  properties: Record<string, unknown>
}

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> }
}

function edited(change: Record<string, string>, agent = sampleAgent()): FormValues {
  const form = toForm(agent)
  return { ...form, fields: { ...form.fields, ...change } }
}

suite('fields of the form', () => {
  test('every field of an update has a control, or is a secret', () => {
    const tops = new Set(
      [...FIELDS, ...SECRETS.map((path) => ({ path }))].map(({ path }) => splitPath(path).top),
    )
    tops.add(DELEGATES.name)
    assert.deepEqual([...tops].toSorted(), names('AgentUpdate').toSorted())
  })

  for (const [top, schema] of Object.entries({
    agent_params: 'AgentParams',
    mcp_config: 'MCPConfig',
    white_box_config: 'WhiteBoxConfig',
    agent_metadata: 'AgentMetadata',
  })) {
    test(`every known member of ${top} has a control, and the others one for all`, () => {
      const expected = [...names(schema), '*'].map((name) => `${top}/${name}`)
      const paths = [...FIELDS.map(({ path }) => path), ...SECRETS]
      assert.deepEqual(paths.filter((path) => path.startsWith(`${top}/`)).toSorted(), expected.toSorted())
    })
  }

  test('every known member of a delegated agent has a control', () => {
    const { origin: _, rest: __, ...row } = EMPTY_ROW
    assert.deepEqual(Object.keys(row).toSorted(), names('DelegatedAgent').toSorted())
  })

  test('no secret, and no mask of one, is in the form', () => {
    assert.equal(JSON.stringify(toForm(sampleAgent())).includes('****'), false)
  })
})

function names(schema: string): string[] {
  return Object.keys(document.components.schemas[schema]?.properties ?? {})
}

suite('the body of an update', () => {
  test('is empty when nothing was touched', () => {
    assert.deepEqual(toUpdate(sampleAgent(), toForm(sampleAgent())), { update: {}, changes: [], faults: [] })
  })

  test('is empty when an edit means the same value', () => {
    const form = edited({ 'agent_params/temperature': '0.20', 'agent_params/*': '{"seed":7}' })
    assert.deepEqual(toUpdate(sampleAgent(), form).update, {})
  })

  test('holds only the field that changed', () => {
    const form = edited({ agent_name: 'Claims', purpose: 'Takes claims' })
    assert.deepEqual(toUpdate(sampleAgent(), form).update, { agent_name: 'Claims', purpose: 'Takes claims' })
  })

  test('keeps unknown members of a nested object', () => {
    const { update, changes } = toUpdate(sampleAgent(), edited({ 'agent_params/max_tokens': '4096' }))
    assert.deepEqual(update, {
      agent_params: { temperature: 0.2, max_tokens: 4096, seed: 7, rag_params: { top_k: 4 } },
    })
    assert.deepEqual(changes, [
      { path: 'agent_params/max_tokens', label: 'Max tokens', before: 2048, after: 4096 },
    ])
  })

  test('sends the mask of a secret back, which keeps the secret', () => {
    const { update } = toUpdate(sampleAgent(), edited({ 'white_box_config/repo_branch': 'main' }))
    assert.deepEqual(update.white_box_config, {
      ...{ repo_url: 'https://git.example/claims', github_token: '********1234', repo_branch: 'main' },
    })
  })

  test('clears a field with null and leaves a cleared member out', () => {
    const { update } = toUpdate(sampleAgent(), edited({ agent_url: '', 'agent_metadata/role': '' }))
    assert.deepEqual(update, {
      agent_url: null,
      agent_metadata: { tags: ['claims', 'at'], cost_centre: { id: 'AT-9' } },
    })
  })

  test('replaces the unknown members by the edited ones', () => {
    const { update } = toUpdate(sampleAgent(), edited({ 'agent_metadata/*': '{"owner": "Ada"}' }))
    assert.deepEqual(update.agent_metadata, { role: 'intake', tags: ['claims', 'at'], owner: 'Ada' })
  })

  test('keeps the digits of a decimal number', () => {
    assert.deepEqual(toUpdate(sampleAgent(), edited({ test_score: '0.9100' })).update, {
      test_score: '0.9100',
    })
  })

  test('keeps values that the form cannot show', () => {
    const agent = sampleAgent({ agent_metadata: { tags: ['a, b'], role: 'intake' } })
    const form = toForm(agent)
    assert.equal(form.fields['agent_metadata/tags'], '')
    assert.equal(form.fields['agent_metadata/*'], JSON.stringify({ tags: ['a, b'] }, null, 2))
    const { update } = toUpdate(agent, edited({ 'agent_metadata/role': 'desk' }, agent))
    assert.deepEqual(update.agent_metadata, { tags: ['a, b'], role: 'desk' })
  })

  test('keeps the line ends of the original', () => {
    const agent = sampleAgent({ agent_system_prompt: 'one\r\ntwo' })
    const { update } = toUpdate(agent, edited({ agent_system_prompt: 'one\ntwo\nthree' }, agent))
    assert.equal(update.agent_system_prompt, 'one\r\ntwo\r\nthree')
  })

  test('keeps the unknown members of each delegated agent', () => {
    const form = toForm(sampleAgent())
    const [first, second] = form.delegates
    assert.ok(first && second)
    const { update } = toUpdate(sampleAgent(), {
      ...form,
      delegates: [second, { ...first, url: 'https://new.example' }, { ...EMPTY_ROW, name: 'New' }],
    })
    assert.deepEqual(update.delegated_agents, [
      { agent_card_url: 'https://card.example', capabilities: ['translate'] },
      { name: 'Notfall-Desk', url: 'https://new.example', weight: 2 },
      { name: 'New' },
    ])
  })
})

suite('faults that are found before saving', () => {
  const cases: [string, string, RegExp][] = [
    ['agent_name', '', /Must not be empty/],
    ['rate_limit_requests_per_minute', '1.5', /whole number/],
    ['agent_params/temperature', 'warm', /Enter a number/],
    ['agent_params/max_tokens', '12345678901234567890', /more digits/],
    ['agent_params/rag_params', '{', /not valid JSON/],
    ['agent_params/rag_params', '[1]', /JSON object/],
    ['agent_params/*', '{"big": 12345678901234567890}', /too many digits/],
    ['agent_params/*', '{"temperature": 1}', /set in the field Temperature, too/],
    ['white_box_config/*', '{"github_token": "x"}', /is a secret/],
    ['test_score', 'high', /decimal number/],
  ]
  for (const [path, text, message] of cases) {
    test(`${path} as ${text === '' ? 'nothing' : text}`, () => {
      const { update, faults } = toUpdate(sampleAgent(), edited({ [path]: text }))
      assert.deepEqual(update, {})
      assert.equal(faults[0]?.name, path)
      assert.match(faults[0]?.message ?? '', message)
      assert.equal(faults[0]?.texts?.after, text)
    })
  }

  test('a long number with an exact value is accepted', () => {
    const { update } = toUpdate(
      sampleAgent(),
      edited({ 'agent_params/*': '{"a": 1.50e3, "b": -0.1, "seed": 7}' }),
    )
    assert.deepEqual(update.agent_params?.['a'], 1500)
  })
})
