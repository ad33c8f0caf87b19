import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readImport, toCreate } from '../../src/agent/create/import.ts'
import { toForm } from '../../src/agent/fields/form.ts'
import { toUpdate } from '../../src/agent/fields/update.ts'
import { sampleAgent } from './sample.ts'

suite('an imported agent', () => {
  const text = JSON.stringify({
    ...sampleAgent(),
    id: 'x',
    trust_stage: 'tested',
    skills: [{ id: 'a' }],
    extra: 1,
  })

  test('names what is taken, what is ignored, and the secrets', () => {
    const imported = readImport(text)
    assert.ok(!('fault' in imported))
    assert.deepEqual(imported.ignored, ['id', 'trust_stage', 'extra'])
    assert.deepEqual(imported.secrets, ['api_key', 'white_box_config.github_token'])
    assert.ok(imported.taken.includes('skills'))
    assert.equal(JSON.stringify(imported.source).includes('****'), false)
  })

  test('is created with every value that the form does not change', () => {
    const imported = readImport(text)
    assert.ok(!('fault' in imported))
    const form = toForm(imported.source)
    form.fields['agent_name'] = 'Copy'
    const body = toCreate(imported.source, toUpdate(imported.source, form).update)
    assert.deepEqual(body, { ...imported.source, agent_name: 'Copy' })
  })

  for (const [name, broken, fault] of [
    ['no JSON', '{', /not valid JSON/],
    ['no object', '[]', /one JSON object/],
    ['a list that is none', '{"delegated_agents": 5}', /list of objects/],
    ['a number with too many digits', '{"agent_params": {"seed": 12345678901234567890}}', /too many digits/],
  ] as const) {
    test(`is refused with ${name}`, () => {
      const read = readImport(broken)
      assert.match('fault' in read ? read.fault : '', fault)
    })
  }
})
