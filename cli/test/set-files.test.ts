import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { NEVER_NULL } from '../src/config-as-code/check-document.ts'
import { document, useSetFolder } from './support/set-folder.ts'

const URL = 'https://console.example.com'

describe('the files of a set', async () => {
  const use = () => useSetFolder({ url: URL }, { token: 'unused' })

  it('are checked without a console, and every fault of every file is reported at once', async () => {
    const { write, run, json } = await use()
    await write({
      'agents/a.yaml': [
        'key: a',
        'spec:',
        '  agent_name: 7',
        '  modle_name: gpt-5.4',
        '  status: live',
        '  hub: null',
        '  trust_stage: trusted',
        '  created_at: 1',
        '  api_key: sk-planted-in-a-file',
        '  rate_limit_requests_per_minute: 0',
        '  agent_params: { temperature: hot, max_tokens: 1.5, own: 1 }',
        '  skills: [{ id: x }, 3]',
        '  white_box_config: { github_token: "********1234" }',
        '  guard_config_id: nonsense',
      ].join('\n'),
      'agents/b.yaml': 'spec: []\npurpose: x\nkye: y\n',
      'agents/c.yaml': 'spec: {agent_name: x\n',
      'agents/d.yaml': 'spec: { purpose: x }\nspec: { purpose: y }\n',
      'agents/e.yaml': document({}, { key: 'a' }),
      'agents/E.yaml': document({}),
      'agents/f.yaml': '- a list\n',
      'agents/g.yaml': 'spec: {}\n---\nkey: g2\nspec: {}\nstatus_on_prune: gone\n',
      'agents/h.yaml': document({ purpose: { $file: '../../outside.md' } }),
      'agents/i.yaml': document({ purpose: { $file: 'nothing.md' } }),
      'agents/j.yaml': document({
        mcp_config: { headers: { x: { $secret: { env: 'X' } } } },
        api_key: { $secret: { env: '1' } },
      }),
    })
    const ran = await run(['validate'])
    assert.equal(ran.code, 1)
    assert.deepEqual(ran.stdout.split('\n').filter(Boolean), [
      'agents/E.yaml:1: E, the name of the file, cannot be the key: must be 1 to 63 lower-case letters, digits, dots, underscores and hyphens, beginning with a letter or a digit',
      'agents/a.yaml:3: agent_name must be text, not a number: put it in quotes',
      'agents/a.yaml:4: modle_name is not a field of an agent. Did you mean model_name?',
      'agents/a.yaml:5: status must be one of draft, creating, active, under_review, deprecated, archived, pending, rejected',
      'agents/a.yaml:6: hub cannot be null. Leave it out, or give a value',
      'agents/a.yaml:7: trust_stage is not set by files. Use: agent-console agents stage',
      'agents/a.yaml:8: created_at is read-only: the console sets it',
      'agents/a.yaml:9: api_key is a secret in clear text. Write where it comes from: { $secret: { env: NAME } }',
      'agents/a.yaml:10: rate_limit_requests_per_minute must be at least 1',
      'agents/a.yaml:11: agent_params.temperature must be a number or null, not text',
      'agents/a.yaml:11: agent_params.max_tokens must be a whole number or null, not a number',
      'agents/a.yaml:12: skills.1 must be an object, not a number',
      'agents/a.yaml:13: white_box_config.github_token is a mask. Write where the secret comes from: { $secret: { env: NAME } }',
      'agents/a.yaml:14: guard_config_id must be a UUID',
      'agents/b.yaml:1: spec must be an object with the fields of the agent',
      'agents/b.yaml:2: purpose is not a member of a document. Put it below spec.',
      'agents/b.yaml:3: kye is not a member of a document. Did you mean key?',
      'agents/c.yaml:2: not valid YAML: Flow map in block collection must be sufficiently indented and end with a }',
      'agents/d.yaml:2: not valid YAML: Map keys must be unique',
      'agents/f.yaml:1: must hold an object with key and spec',
      'agents/g.yaml:1: a file with several documents needs a key in each',
      'agents/g.yaml:5: status_on_prune is archived or delete',
      'agents/h.yaml:1: purpose $file ../../outside.md cannot be read: there is no such file',
      'agents/i.yaml:1: purpose $file nothing.md cannot be read: there is no such file',
      'agents/j.yaml:1: mcp_config.headers.x is no secret: every reader of the agent sees it. Store a named secret, and refer to it: { $secret: NAME }',
      'agents/j.yaml:1: api_key $secret must be one of { env: NAME }, { file: PATH } and { command: [PROGRAM, ARGUMENT, …] }',
      '26 faults',
    ])
    const { faults } = await json<{ faults: unknown[] }>(['validate'], 1)
    assert.equal(faults.length, 26)
    assert.ok(!`${ran.stdout}${ran.stderr}`.includes('planted'))
    // The same before a request is sent: there is no console at this address.
    const planned = await run(['plan'])
    assert.equal(planned.code, 1)
    assert.match(planned.stderr, /The files have 26 faults:\n {2}agents\/E\.yaml:1/)
    assert.ok(!planned.stderr.includes('planted'))
  })

  it('may not have a key twice', async () => {
    const { write, run } = await use()
    await write({ 'agents/a.yaml': document({}), 'agents/b/c.yaml': document({}, { key: 'a' }) })
    const { stdout, code } = await run(['validate'])
    assert.equal(code, 1)
    assert.match(stdout, /agents\/b\/c\.yaml:1: the key a is also that of agents\/a\.yaml:1/)
  })

  it('are valid with all that YAML 1.2 has', async () => {
    const { write, json } = await use()
    await write({
      'agents/a.yaml': [
        '\ufeff# A comment',
        'spec:\r',
        '  agent_name: yes',
        '  model_name: 2026-11-16',
        '  purpose: &text |',
        '    Two',
        '    lines',
        '  agent_system_prompt: *text',
        '  test_score: 87.50',
        '  mcp_config: { headers: { authorization: { $secret: crm } } }',
        '  api_key: { $secret: { command: [vault, read] } }',
        '  white_box_config: { github_token: { $secret: { file: /run/secrets/token } } }',
        '---',
        '# Nothing here',
      ].join('\n'),
      'agents/.hidden/b.yaml': 'not: read',
    })
    assert.deepEqual(await json(['validate']), { files: 1, agents: 1, faults: [] })
    const stdin = JSON.stringify(document({}, { key: 'x' }))
    assert.deepEqual(await json(['validate', '-f', '-'], 0, { stdin }), { files: 1, agents: 1, faults: [] })
    assert.deepEqual(await json(['validate', '-f', 'agents']), { files: 1, agents: 1, faults: [] })
  })

  it('cannot send other files of the machine to the console', async () => {
    const { write, run, path, folder } = await use()
    const outside = `${folder}-outside.md`
    await writeFile(outside, 'of another user')
    await symlink(outside, path('link.md'))
    await write({
      'agents/a.yaml': document({ purpose: { $file: outside } }),
      'agents/b.yaml': document({ purpose: { $file: '../link.md' } }),
    })
    const { stdout } = await run(['validate'])
    assert.equal(stdout.match(/is outside of the folder of the project/g)?.length, 2, stdout)
  })

  it('are found from a folder below, and belong to one console', async () => {
    const { write, run, path } = await use()
    await write({ 'agents/a.yaml': document({}) })
    const below = await run(['validate'], { cwd: path('agents') })
    assert.equal(below.stdout, '1 agent in 1 file: valid\n')
    const other = await run(['plan', '--url', 'http://127.0.0.1:9'])
    assert.equal(other.code, 64)
    assert.match(other.stderr, /belongs to https:\/\/console\.example\.com, not to http:\/\/127\.0\.0\.1:9/)
    for (const [text, message] of [
      ['set: Bad', /set must be 1 to 63/],
      ['set: a\nfile: x', /no member file. Did you mean files\?/],
      ['set: a\nfiles: 3', /files must be a list/],
      ['set: a\nurl: nonsense', /not the address of a console/],
      ['set: a\nstatus_on_prune: x', /status_on_prune is/],
      ['- a', /must hold an object/],
      ['set: {', /agent-console\.yaml: /],
    ] as [string, RegExp][]) {
      await write({ 'agent-console.yaml': text })
      const ran = await run(['plan'])
      assert.ok(ran.code === 1 || ran.code === 64, text)
      assert.match(ran.stderr, message)
    }
    assert.match((await run(['init', 'other'])).stderr, /agent-console\.yaml exists already\./)
    const nowhere = await run(['plan'], { cwd: '/' })
    assert.match(nowhere.stderr, /There is no agent-console\.yaml here or in a folder above/)
  })

  it('have the fields of the API', () => {
    const { components } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
    ) as {
      components: {
        schemas: Record<string, { properties: Record<string, { type?: unknown; anyOf?: unknown[] }> }>
      }
    }
    const fields = Object.entries(components.schemas['AgentSpec']?.properties ?? {})
    const never = fields.filter(([, { type, anyOf }]) => ![type, ...(anyOf ?? [])].some(takesNull))
    assert.deepEqual(never.map(([name]) => name).toSorted(), NEVER_NULL.toSorted())
  })
})

const takesNull = (value: unknown): boolean => JSON.stringify(value ?? '').includes('"null"')
