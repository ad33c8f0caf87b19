import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { agentBodies } from '../../test/support/agent-bodies.ts'
import { createAgent } from '../../test/support/agents.ts'
import { useConsole } from '../../test/support/console.ts'
import type { PulledRow } from '../src/config-as-code/pull-agent.ts'
import { variableNames } from '../src/config-as-code/pulled-spec.ts'
import { describeUnset } from '../src/config-as-code/unset-secrets.ts'
import { pullAgents, secretsFor } from './support/pulled.ts'
import { document, useSetFolder } from './support/set-folder.ts'
import { useUnreliableProxy } from './support/unreliable-proxy.ts'

const RANDOM_AGENTS = 25
const DOCUMENTS = 20

describe('pull', async () => {
  const running = await useConsole()
  const person = await running.person()

  it(`and then plan is empty, for ${RANDOM_AGENTS} random agents`, async () => {
    const bodies = fc.sample(agentBodies, { numRuns: RANDOM_AGENTS, seed: 11 })
    const set = await useSetFolder(running, person)
    const ids = await pullAgents(running, person, set, bodies)
    const env = await secretsFor(set, bodies, ids)
    const ran = await set.run(['plan', '-o', 'json'], { env })
    assert.equal(ran.code, 0, ran.stderr)
    const { agents, unchanged } = JSON.parse(ran.stdout) as { agents: unknown[]; unchanged: number }
    assert.deepEqual([agents, unchanged], [[], RANDOM_AGENTS])
    // Also without the list of agents, by dry runs alone.
    const one = await set.run(['plan', '-f', 'agents', '--exit-code', '-o', 'json'], { env })
    assert.equal(one.code, 0, one.stdout)
    for (const id of ids)
      assert.equal((await set.console.agents.get(id)).revision, 1, 'a pull changes no agent')
  })

  it('writes readable files, in a fixed order, without defaults and without secrets', async () => {
    const { run, path, members } = await useSetFolder(running, person)
    assert.match((await run(['pull'])).stdout, /^The set \S+ has no agents\. .*agent-console pull AGENT…\n$/)
    const { id } = await createAgent(running, person, {
      agent_name: 'Ünïque Helper (EU) /2',
      agent_system_prompt: 'Answer in short sentences.\nNever guess.\n',
      hub: 'custom',
      api_key: 'a-secret-that-stays',
      agent_params: { temperature: 0.2 },
    })
    const ran = await run(['pull', id, '-d', 'agents'])
    assert.equal(ran.code, 0, ran.stderr)
    assert.match(ran.stdout, /unique-helper-eu-2 +written +taken +agents\/unique-helper-eu-2\.yaml/)
    assert.equal(
      ran.stderr,
      'A plan needs the secrets in these variables: UNIQUE_HELPER_EU_2_API_KEY. ' +
        'To leave the secrets to the console, remove api_key from the files first.\n',
    )
    assert.equal(
      readFileSync(path('agents/unique-helper-eu-2.yaml'), 'utf8'),
      [
        '# yaml-language-server: $schema=../.agent-console/agent.schema.json',
        'key: unique-helper-eu-2',
        'spec:',
        '  agent_name: Ünïque Helper (EU) /2',
        '  model_name: model',
        '  api_key:',
        '    $secret:',
        '      env: UNIQUE_HELPER_EU_2_API_KEY',
        '  agent_system_prompt: |',
        '    Answer in short sentences.',
        '    Never guess.',
        '  agent_params:',
        '    temperature: 0.2',
        '',
      ].join('\n'),
    )
    // The secret was not in the environment, so the set does not own it yet.
    const { fields = [] } = (await members()).get('unique-helper-eu-2') ?? {}
    assert.ok(!fields.includes('api_key'))
    assert.match((await run(['plan'])).stderr, /UNIQUE_HELPER_EU_2_API_KEY is not set/)
    const again = await run(['pull', id])
    assert.match(again.stdout, /unique-helper-eu-2 +kept/)
  })

  it('takes what others have changed into the files, and keeps comments, texts and sources', async () => {
    const set = await useSetFolder(running, person, { env: { KEY: 'a-secret-of-the-set' } })
    await set.write({
      'agents/a.yaml': [
        '# About this agent',
        'key: a',
        'spec:',
        '  agent_name: Helper # its name',
        '  model_name: one',
        '  purpose: { $file: ../purpose.md }',
        '  api_key: { $secret: { env: KEY } }',
        '---',
        'key: b',
        'spec: { agent_name: B, model_name: one }',
        '',
      ].join('\n'),
      'purpose.md': 'Before\n',
    })
    await set.json(['apply', '--yes'])
    const id = (await set.members()).get('a')?.agent_id ?? ''
    await set.console.agents.update(id, { model_name: 'two', purpose: 'After' })
    assert.equal((await set.plan(['--exit-code'], 2)).agents[0]?.action, 'drift')
    await set.json(['pull', '--overwrite'])
    const text = readFileSync(set.path('agents/a.yaml'), 'utf8')
    assert.match(
      text,
      /# About this agent[\s\S]*# its name\n {2}model_name: two\n[\s\S]*\$file: \.\.\/purpose\.md/,
    )
    assert.match(text, /env: KEY/)
    assert.equal(readFileSync(set.path('purpose.md'), 'utf8'), 'After\n')
    const { agents, unchanged } = await set.plan(['--exit-code'])
    assert.deepEqual([agents, unchanged], [[], 2])
  })

  it('replaces no file that has no valid document of the agent', async () => {
    const set = await useSetFolder(running, person)
    await set.write({ 'agents/broken.yaml': document({}), 'agents/leaving.yaml': document({}) })
    await set.json(['apply', '--yes'])
    const files = {
      'agents/invoice.yaml': 'key: invoice-helper\nspec: { agent_name: Other, model_name: m }\n',
      'agents/broken.yaml': '<<<<<<< mine\nspec: {}\n',
      'agents/leaving.yaml': 'status_on_prune: delete\n',
    }
    await set.write(files)
    const { id } = await createAgent(running, person, { agent_name: 'Invoice' })
    for (const more of [[], ['--overwrite']]) {
      const all = await set.json<PulledRow[]>(['pull', ...more], 3)
      assert.deepEqual(
        all.map(({ key, status }) => [key, status]),
        [
          ['broken', 'failed'],
          ['leaving', 'kept'],
        ],
      )
      const [row] = await set.json<PulledRow[]>(['pull', id, ...more], 1)
      assert.match(row?.error ?? '', /^agents\/invoice\.yaml exists already, and no valid document in it has/)
    }
    for (const [file, text] of Object.entries(files)) {
      assert.equal(readFileSync(set.path(file), 'utf8'), text)
    }
    assert.deepEqual([...(await set.members()).keys()].toSorted(), ['broken', 'leaving'])
  })

  it('updates every document of a file', async () => {
    const set = await useSetFolder(running, person)
    const keys = Array.from({ length: DOCUMENTS }, (_, index) => `a${index}`)
    const texts = keys.map((key) => `key: ${key}\nspec: { agent_name: ${key}, model_name: one }\n`)
    await set.write({ 'agents/all.yaml': texts.join('---\n') })
    await set.json(['apply', '--yes'])
    for (const { agent_id: id } of (await set.members()).values()) {
      await set.console.agents.update(id, { model_name: 'two' })
    }
    await set.json(['pull', '--overwrite'])
    assert.deepEqual((await set.plan(['--exit-code'])).unchanged, DOCUMENTS)
  })

  it('updates a text that documents share, if one of them has changed', async () => {
    const set = await useSetFolder(running, person)
    const shared = document({ purpose: { $file: '../shared.md' } })
    await set.write({ 'agents/a.yaml': shared, 'agents/b.yaml': shared, 'shared.md': 'Before\n' })
    await set.json(['apply', '--yes'])
    const id = (await set.members()).get('a')?.agent_id ?? ''
    await set.console.agents.update(id, { purpose: 'After' })
    await set.json(['pull', '--overwrite', '--concurrency', '1'])
    assert.equal(readFileSync(set.path('shared.md'), 'utf8'), 'After\n')
  })

  it('waits for a busy console, and takes no agent without a file', async () => {
    const busy = await useUnreliableProxy(running.url)
    const set = await useSetFolder({ url: busy.url }, person)
    const first = await createAgent(running, person, { agent_name: 'First of two' })
    const second = await createAgent(running, person, { agent_name: 'Second of two' })
    const pull = async (argv: string[], code: number) =>
      (await set.json<PulledRow[]>(['pull', ...argv], code))[0]
    busy.refuse = (count) => (count === 1 ? { status: 429, retryAfter: '1' } : undefined)
    const taken = await pull([first.id], 0)
    assert.deepEqual([taken?.status, taken?.adopted], ['written', true])

    busy.refuse = () => ({ status: 503, retryAfter: '1' })
    const refused = await pull([second.id], 1)
    assert.deepEqual([refused?.status, refused?.adopted], ['failed', false])
    assert.match(refused?.error ?? '', /503/)
    assert.ok(!existsSync(set.path('agents/second-of-two.yaml')))

    busy.refuse = () => undefined
    await set.write({ 'no-folder': '' })
    const unwritten = await pull([second.id, '-d', 'no-folder'], 1)
    assert.match(unwritten?.error ?? '', /^no-folder\/second-of-two\.yaml cannot be written: E\w+\.$/)
    assert.deepEqual([...(await set.members()).keys()], ['first-of-two'])
  })

  it('keeps the file of an agent that the set may have taken', async () => {
    const lossy = await useUnreliableProxy(running.url)
    const set = await useSetFolder({ url: lossy.url }, person)
    const keys: string[] = []
    const pull = async (agent_name: string) => {
      const { id } = await createAgent(running, person, { agent_name })
      const { code, stderr } = await set.run(['pull', id])
      assert.equal(code, 1, stderr)
      keys.push(agent_name)
      assert.ok(existsSync(set.path(`agents/${agent_name}.yaml`)))
      return { id, stderr }
    }
    lossy.refuse = () => 'lose'
    assert.doesNotMatch((await pull('taken')).stderr, /not known/)
    lossy.refuse = () => {
      lossy.refuseOther = () => 'close'
      return 'lose'
    }
    const { id, stderr } = await pull('unknown')
    assert.match(
      stderr,
      new RegExp(`not known whether .* unknown\\. Run: agent-console adopt ${id} unknown\n`),
    )
    lossy.refuseOther = () => undefined
    assert.deepEqual([...(await set.members()).keys()].toSorted(), keys)
  })

  it('says which secrets a plan needs, and how to leave them to the console', async () => {
    const set = await useSetFolder(running, person)
    const secrets = {
      api_key: 'key-of-the-agent',
      white_box_config: { repo_url: 'https://git.example/a', github_token: 'token-of-the-agent' },
    }
    const { id } = await createAgent(running, person, { agent_name: 'Keeper', ...secrets })
    const env = { KEEPER_API_KEY: secrets.api_key }
    const { stderr } = await set.run(['pull', id], { env })
    assert.match(
      stderr,
      /variables: KEEPER_GITHUB_TOKEN\. .* remove white_box_config from the files first\.\n$/,
    )

    const text = readFileSync(set.path('agents/keeper.yaml'), 'utf8')
    await set.write({
      'agents/keeper.yaml': text.replace(/ {2}(?:api_key|white_box_config):\n(?: {4}.*\n)+/g, ''),
    })
    const { agents, unchanged } = await set.plan(['--exit-code'])
    assert.deepEqual([agents, unchanged], [[], 1])
    const kept = await set.console.agents.secrets(id)
    assert.equal(kept.white_box_config.github_token, secrets.white_box_config.github_token)

    // The set owns the key now: without it in the file, an apply would clear it.
    await set.write({ 'agents/keeper.yaml': text.replace(/ {2}white_box_config:\n(?: {4}.*\n)+/, '') })
    const applied = await set.run(['apply', '--yes'], { env })
    assert.equal(applied.code, 0, applied.stderr)
    await set.remove('agents/keeper.yaml')
    assert.equal(
      (await set.run(['pull'])).stderr,
      'A plan needs the secrets in these variables: KEEPER_API_KEY.\n',
    )
    const more = Array.from({ length: 7 }, (_, index) => ({
      ...{ variable: `V${index}`, field: index > 3 ? 'white_box_config' : 'api_key', isOwned: false },
    }))
    assert.match(
      describeUnset(more),
      /: V0, V1, V2, V3, V4, 2 more\. .* remove api_key and white_box_config from/,
    )
  })

  it('gives each agent a variable of its own', async () => {
    const set = await useSetFolder(running, person)
    for (const agent_name of ['8', 'agent 8', 'a.b', 'a b']) {
      const { id } = await createAgent(running, person, { agent_name, api_key: 'a-secret' })
      await set.json(['pull', id])
    }
    const variables = [...(await set.members()).keys()].map(
      (key) => /env: (\w+)/.exec(readFileSync(set.path(`agents/${key}.yaml`), 'utf8'))?.[1],
    )
    assert.equal(new Set(variables).size, 4, variables.join())
    assert.deepEqual([...variableNames(['a-b', 'a.b', 'a_b_2']).values()], ['A_B', 'A_B_2', 'A_B_2_2'])
  })

  it('leaves out the fields of other sets, and agents that cannot be taken', async () => {
    const [first, second] = [await useSetFolder(running, person), await useSetFolder(running, person)]
    await first.write({ 'agents/a.yaml': document({ agent_name: 'Owned helper', purpose: 'One' }) })
    await first.json(['apply', '--yes'])
    const { id } = await createAgent(running, person, { agent_name: 'Free helper', purpose: 'Two' })
    const rows = await second.json<{ key: string; adopted: boolean }[]>([
      'pull',
      '--query',
      'helper',
      `${first.set}/a`,
      id,
    ])
    assert.deepEqual(
      rows.filter(({ key }) => /^(owned|free)-helper$/.test(key)).map(({ key, adopted }) => [key, adopted]),
      [
        ['free-helper', true],
        ['owned-helper', true],
      ],
    )
    assert.deepEqual((await second.members()).get('owned-helper')?.fields, [])
    assert.match(readFileSync(second.path('agents/owned-helper.yaml'), 'utf8'), /spec: \{\}/)
    assert.deepEqual((await first.plan()).agents, [])
  })

  it('only writes files with --no-adopt, and adopt takes the agent later', async () => {
    const set = await useSetFolder(running, person)
    const { id } = await createAgent(running, person, { agent_name: 'Later' })
    const pulled = await set.run(['pull', id, '--no-adopt'])
    assert.match(pulled.stderr, /apply would create them again\. .*: agent-console adopt ID KEY\n/)
    assert.equal((await set.members()).size, 0)
    assert.equal((await set.plan()).agents[0]?.action, 'create')
    for (const [argv, message] of [
      [['adopt', id, 'nothing', '--yes'], /No file has the key nothing\. .* agent-console pull "/],
      [['adopt', id, 'later'], /needs --yes/],
    ] as [string[], RegExp][]) {
      const ran = await set.run(argv)
      assert.equal(ran.code, 64)
      assert.match(ran.stderr, message)
    }
    const adopted = await set.run(['adopt', id, 'later', '--yes'])
    assert.equal(adopted.code, 0, adopted.stderr)
    assert.match(adopted.stdout, /~ update {2}later[\s\S]*the set takes agent_name, model_name/)
    assert.deepEqual((await set.plan()).agents, [])
    assert.match((await set.run(['adopt', id, 'later', '--yes'])).stderr, /has the key later already/)
    // Also by its set and key, in every command.
    const argv = ['agents', 'get', `${set.set}/later`, '--url', running.url]
    const shown = await set.json<{ id: string }>(argv)
    assert.equal(shown.id, id)
  })
})
