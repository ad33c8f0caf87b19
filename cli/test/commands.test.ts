import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type AgentCreate, Console } from '@agent-console/sdk'
import { parse } from 'yaml'
import { useConsoleWithNats } from '../../test/support/console-with-nats.ts'
import { namedPerson } from '../../test/support/named-person.ts'
import { canBeWatched } from '../../test/support/watching.ts'
import { COMMANDS } from '../src/grammar/commands.ts'
import { FORMATS, type Format } from '../src/grammar/global-options.ts'
import { type Ran, runCli, type Surroundings, useFolder } from './support/cli.ts'
import { AGENT, exactly, faultsOf, list, ref, TEXT } from './support/schemas.ts'
import { useSetFolder } from './support/set-folder.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Scene {
  id: string
  name: string
}

interface Case {
  argv: (scene: Scene) => string[]
  /** Of the output in JSON and YAML. */
  schema: object
  /** Each line of the output in names. */
  name: RegExp
  /** Something that the table shows. */
  table: RegExp
  surroundings?: (scene: Scene) => Surroundings | Promise<Surroundings>
  before?: (scene: Scene) => Promise<unknown>
  /** The output in JSON has one value on each line. */
  isStream?: true
  code?: number
}

describe('every command in every format', async () => {
  const { running } = await useConsoleWithNats()
  const person = await namedPerson(running, { name: 'Ada' })
  const { token } = person
  await canBeWatched(running.url, token)
  const { agents } = new Console({ baseUrl: running.url, token })
  const folder = await useFolder()
  const env = { XDG_CONFIG_HOME: folder, AGENT_CONSOLE_URL: running.url, AGENT_CONSOLE_TOKEN: token }
  const file = join(folder, 'agent.json')
  const genome = join(folder, 'genome.json')
  await mkdir(join(folder, 'agent-console'))
  await writeFile(file, JSON.stringify({ agent_name: 'From a file', model_name: 'm', api_key: SECRET }))
  await writeFile(genome, '{"weight": 12345678901234567890}')
  await writeFile(join(folder, 'prompt.txt'), 'Be brief.\n')

  const setEnv = { ...env, AGENT_CONSOLE_URL: undefined }
  /** A folder with a file of an agent that the set does not have. */
  const inFolder = async (files: Record<string, object>): Promise<Surroundings> => {
    const { write, folder: cwd, set } = await useSetFolder(running, person)
    await write({ ...files, 'agent-console.yaml': { set, url: running.url, files: ['agents/*.yaml'] } })
    return { cwd, env: setEnv }
  }
  const NEW = { 'agents/helper.yaml': { spec: { agent_name: 'Helper', model_name: 'm' } } }
  const COUNT = { type: 'integer' }
  const OUTCOME = exactly({
    ...{ key: TEXT, action: TEXT, status: { const: 'applied' }, agent_id: TEXT, revision: COUNT },
    ...{ error: { type: 'null' }, warnings: { type: 'null' } },
  })

  const CASES: Record<string, Case> = {
    init: {
      argv: () => ['init', 'payments', '--url', running.url],
      schema: exactly({ set: TEXT, url: TEXT, files: list(TEXT) }),
      ...{
        name: /^(agent-console\.yaml|\.agent-console\/agent\.schema\.json)$/,
        table: /agent-console\.yaml and .* written/,
      },
      surroundings: async () => ({ cwd: await useFolder(), env }),
    },
    pull: {
      argv: ({ id }) => ['pull', id],
      schema: list(
        exactly({
          key: TEXT,
          agent_id: TEXT,
          file: TEXT,
          status: TEXT,
          adopted: { const: true },
          error: { type: 'null' },
        }),
      ),
      ...{
        name: /^agents\/agent-.*\.yaml$/,
        table: /^KEY +STATUS +SET +FILE +ID\nagent-\S+ +written +taken/,
      },
      surroundings: () => inFolder({}),
    },
    adopt: {
      argv: ({ id }) => ['adopt', id, 'helper', '--yes'],
      schema: exactly({ set: TEXT, url: TEXT, agents: list(OUTCOME), unchanged: COUNT }),
      ...{ name: /^helper$/, table: /~ update {2}helper {2}agents\/helper\.yaml\n[\s\S]*1 updated/ },
      surroundings: () => inFolder(NEW),
    },
    validate: {
      argv: () => ['validate'],
      schema: exactly({
        files: COUNT,
        agents: COUNT,
        faults: list(exactly({ file: TEXT, line: COUNT, message: TEXT })),
      }),
      ...{ name: /^agents\/helper\.yaml$/, table: /^agents\/helper\.yaml:1: hub must be text/, code: 1 },
      surroundings: () => inFolder({ 'agents/helper.yaml': { spec: { hub: 1 } } }),
    },
    plan: {
      argv: () => ['plan', '--exit-code'],
      schema: exactly({
        ...{ set: TEXT, url: TEXT, unchanged: COUNT, without_file: list(TEXT) },
        agents: list(
          exactly({
            ...{
              key: TEXT,
              action: TEXT,
              file: TEXT,
              agent_id: { type: 'null' },
              revision: { type: 'null' },
            },
            changes: list(
              exactly({ field: TEXT, old: {}, new: {}, drifted: {}, changed_by: {}, changed_at: {} }),
            ),
            secrets: list(exactly({ field: TEXT, from: TEXT, changes: {} })),
            ...{ taken: list(TEXT), released: list(TEXT), reason: { type: 'null' } },
          }),
        ),
      }),
      ...{
        name: /^helper$/,
        table: /^set-\w+ on http.*\n\n\+ create {2}helper {2}agents\/helper\.yaml\n/,
        code: 2,
      },
      surroundings: () => inFolder(NEW),
    },
    apply: {
      argv: () => ['apply', '--yes'],
      schema: exactly({ set: TEXT, url: TEXT, agents: list(OUTCOME), unchanged: COUNT }),
      ...{ name: /^helper$/, table: /1 to create\.\n1 created\.\n$/ },
      surroundings: () => inFolder(NEW),
    },
    whoami: {
      argv: () => ['whoami'],
      schema: { allOf: [ref('Me')], required: ['url', 'profile', 'token_source', 'storage'] },
      ...{ name: UUID, table: /Ada.*\nTeam.*\n[\s\S]*from AGENT_CONSOLE_TOKEN/ },
    },
    profiles: {
      argv: () => ['profiles'],
      schema: list(
        exactly({ name: TEXT, url: TEXT, issuer: TEXT, client_id: TEXT, storage: TEXT, is_current: {} }),
      ),
      ...{ name: /^(first|second)$/, table: /first +https:\/\/a.example +file/ },
    },
    'profiles use': {
      argv: () => ['profiles', 'use', 'second'],
      schema: exactly({ current: { const: 'second' } }),
      ...{ name: /^second$/, table: /second/ },
    },
    'agents list': {
      argv: ({ name }) => [
        'agents',
        'list',
        '--query',
        name,
        '--status',
        'active',
        '--stage',
        'registered,tested',
      ],
      schema: { ...list(AGENT), minItems: 1 },
      ...{ name: UUID, table: /^NAME +STATUS +STAGE/ },
    },
    'agents get': {
      argv: ({ name }) => ['agents', 'get', name, '--scores', '--revision', '2'],
      ...{ schema: AGENT, name: UUID, table: /agent_name +agent-/ },
    },
    'agents create': {
      argv: () => ['agents', 'create', '-f', file, '--reason', 'New'],
      ...{ schema: AGENT, name: UUID, table: /From a file created, revision 1/ },
    },
    'agents edit': {
      argv: ({ id }) => ['agents', 'edit', id],
      ...{ schema: AGENT, name: UUID, table: /updated.*, revision \d+/ },
      surroundings: () => ({
        columns: 80,
        env: { ...env, EDITOR: 'my-editor --wait' },
        runInTerminal: async (command, args) => {
          assert.deepEqual([command, args[0]], ['my-editor', '--wait'])
          await writeFile(args[1] ?? '', `\ufeffpurpose: ${randomUUID()}\r\nhub: null\r\n`)
          return 0
        },
      }),
    },
    'agents set': {
      argv: ({ id }) => [
        'agents',
        'set',
        id,
        `agent_system_prompt=@${join(folder, 'prompt.txt')}`,
        'agent_params.top_p=0.5',
      ],
      ...{ schema: AGENT, name: UUID, table: /updated, revision \d+/ },
    },
    'agents delete': {
      argv: ({ id }) => ['agents', 'delete', id, '--yes'],
      schema: list(
        exactly({ id: TEXT, agent_name: TEXT, deleted: { const: true }, error: { type: 'null' } }),
      ),
      ...{ name: UUID, table: /deleted/ },
    },
    'agents history': {
      argv: ({ id }) => ['agents', 'history', id],
      schema: { ...list(ref('AgentRevision')), minItems: 3 },
      ...{ name: /^[123]$/, table: /^REV +WHEN +BY +ACTION +FIELDS.*\n3 .* Ada +updated +agent_url/ },
    },
    'agents diff': {
      argv: ({ id }) => ['agents', 'diff', id, '1..3', '--exit-code'],
      ...{ schema: ref('AgentDiff'), name: /^agent_url$/, table: /- https:.*\/1\n.*\+ https:.*\/3/, code: 2 },
    },
    'agents restore': {
      argv: ({ id }) => ['agents', 'restore', id, '1'],
      ...{ schema: AGENT, name: UUID, table: /restored from revision 1, revision \d+/ },
    },
    'agents stage': {
      argv: ({ id }) => ['agents', 'stage', id, 'tested', '--reason', 'Passed'],
      ...{ schema: AGENT, name: UUID, table: /is in stage tested, revision \d+/ },
    },
    'agents secrets': {
      argv: ({ id }) => ['agents', 'secrets', id, '--reveal'],
      ...{ schema: ref('AgentSecrets'), name: /^(api_key|crm)$/, table: new RegExp(`api_key +${SECRET}`) },
      before: async ({ id }) => {
        await agents.update(id, { api_key: SECRET })
        await agents.updateSecret(id, 'crm', 'a password')
      },
    },
    'agents watch': {
      argv: ({ id }) => ['agents', 'watch', id, '--limit', '1'],
      schema: exactly({ id: TEXT, data: ref('AgentEvent') }),
      ...{ name: UUID, table: /(created|updated) +[0-9a-f-]{36} {2}revision \d+/, isStream: true },
      // Until the command has read an event, which ends it.
      before: async ({ id }) => {
        const { agent } = await agents.get(id)
        void (async () => {
          for (let count = 0; count < 2_000 && !ended.has(id); count++) {
            await agents.update(agent.id, { hub: `hub ${count}` })
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
        })()
      },
    },
    'evolution status': {
      argv: ({ id }) => ['evolution', 'status', id],
      ...{ schema: ref('EvolutionStatus'), name: UUID, table: /state +\w+/ },
    },
    'genomes create': {
      argv: () => ['genomes', 'create', '-f', genome],
      ...{ schema: ref('Genome'), name: UUID, table: /12345678901234567890/ },
    },
    services: {
      argv: () => ['services'],
      ...{ schema: list(ref('ServiceStatus')), name: /^$/, table: /No services/ },
    },
    audit: {
      argv: ({ id }) => ['audit', '--agent', id, '--since', '1h', '--action', 'agent_updated'],
      ...{ schema: { ...list(ref('AuditEvent')), minItems: 2 }, name: UUID, table: /Ada +agent_updated/ },
    },
    api: {
      argv: ({ id }) => ['api', 'GET', `/v1/agent-configurations/${id}?include_scores=true`],
      ...{ schema: ref('Agent'), name: UUID, table: /^\{"id":/ },
    },
    completion: {
      argv: () => ['completion', 'bash'],
      ...{ schema: exactly({ shell: TEXT, script: TEXT }), name: /^bash$/, table: /complete -F/ },
    },
    'schema agent': {
      argv: () => ['schema', 'agent'],
      schema: { required: ['$schema', 'properties', '$defs'] },
      ...{ name: /^[a-z_]+$/, table: /^FIELD +TYPE/ },
    },
    version: {
      argv: () => ['version', '--check'],
      schema: exactly({ version: TEXT, node: TEXT, console: TEXT, is_compatible: { const: true } }),
      ...{ name: /^\d+\.\d+\.\d+$/, table: /: compatible/ },
    },
  }
  const ended = new Set<string>()

  it('has a case for each, except for those that have a test of their own', () => {
    const tested = [...Object.keys(CASES), 'login', 'logout', 'mcp']
    assert.deepEqual(COMMANDS.map(({ path }) => path).toSorted(), tested.toSorted())
  })

  const createScene = async (): Promise<Scene> => {
    const name = `agent-${randomUUID()}`
    const agent: AgentCreate = { agent_name: name, model_name: 'm', agent_url: 'https://example.com/1' }
    const { agent: created } = await agents.create(agent)
    await agents.update(created.id, { agent_url: 'https://example.com/2' })
    await agents.update(created.id, { agent_url: 'https://example.com/3' })
    return { id: created.id, name }
  }
  const profile = {
    url: 'https://a.example',
    issuer: 'https://i.example',
    client_id: 'c',
    scope: 's',
    storage: 'file',
  }
  const config = { current: 'first', profiles: { first: profile, second: profile } }

  for (const [path, each] of Object.entries(CASES)) {
    it(path, async (t) => {
      let scene = await createScene()
      await each.before?.(scene)
      t.after(() => void ended.add(scene.id))
      for (const format of FORMATS) {
        await writeFile(join(folder, 'agent-console/config.json'), JSON.stringify(config))
        if (path === 'agents delete' || path === 'adopt') scene = await createScene()
        const argv = [...each.argv(scene), '--output', format]
        const ran = await runCli(argv, { env, ...(await each.surroundings?.(scene)) })
        assert.equal(ran.code, each.code ?? 0, ran.stderr)
        check(format, each, ran)
        if (path !== 'agents secrets') assert.ok(!`${ran.stdout}${ran.stderr}`.includes(SECRET))
        assert.ok(!`${ran.stdout}${ran.stderr}`.includes(token))
      }
    })
  }
})

const SECRET = 'a-secret-that-no-output-may-contain'

function check(format: Format, { schema, name, table, isStream }: Case, { stdout }: Ran): void {
  assert.match(stdout, /\n$|^$/)
  if (format === 'table') assert.match(stdout, table)
  if (format === 'name') for (const line of stdout.trimEnd().split('\n')) assert.match(line, name)
  if (format === 'json') assert.deepEqual(faultsOf(schema, JSON.parse(stdout)), [])
  if (format === 'yaml')
    assert.deepEqual(faultsOf(schema, parse(isStream ? stdout.replace('---', '') : stdout)), [])
}
