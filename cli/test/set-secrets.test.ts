import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { useConsole } from '../../test/support/console.ts'
import { Secrets } from '../src/config-as-code/secrets.ts'
import { document, type SetFolder, useSetFolder } from './support/set-folder.ts'

const planted = (name: string) => `planted-${name}-${randomUUID()}`

describe('secrets of files', async () => {
  const running = await useConsole()
  const person = await running.person()

  const secretsOf = async ({ console, members }: SetFolder, key: string) => {
    const { api_key: apiKey, white_box_config: config } = await console.agents.secrets(
      (await members()).get(key)?.agent_id ?? '',
    )
    return [apiKey, config.github_token]
  }

  it('come from the environment, a file or a program, and reach the console only', async () => {
    const [env, file, command, other] = ['env', 'file', 'command', 'other'].map(planted) as [
      string,
      string,
      string,
      string,
    ]
    const set = await useSetFolder(running, person, { env: { HELPER_KEY: env } })
    const { write, run, json, path, folder } = set
    await write({
      'agents/a.yaml': document({
        api_key: { $secret: { env: 'HELPER_KEY' } },
        white_box_config: { repo_branch: 'main', github_token: { $secret: { file: '../token.txt' } } },
      }),
      'agents/b.yaml': document({ api_key: { $secret: { command: ['../secret.sh', 'b'] } } }),
      'token.txt': `${file}\n`,
    })
    await write({
      'agents/b.yaml': document({ api_key: { $secret: { command: [path('secret.sh'), 'b'] } } }),
    })
    await write({ 'secret.sh': `#!/bin/sh\necho ${command}\n` })
    await chmod(path('secret.sh'), 0o755)
    const output: string[] = []
    const record = async (argv: string[], code: number, more: Record<string, string> = {}) => {
      const ran = await run(argv, { env: more })
      output.push(ran.stdout, ran.stderr)
      assert.equal(ran.code, code, ran.stderr)
      return ran.stdout
    }
    const created = await record(['plan', '--verbose'], 0)
    assert.match(created, /^ {4}api_key \(from env HELPER_KEY\): new$/m)
    assert.match(created, /^ {4}white_box_config\.github_token \(from file \.\.\/token\.txt\): new$/m)
    assert.match(created, /^ {4}api_key \(from command .*\/secret\.sh\): new$/m)
    await record(['plan', '--out', 'a.plan'], 0)
    await record(['apply', '--yes', '--verbose'], 0)
    assert.deepEqual(await secretsOf(set, 'a'), [env, file])
    assert.deepEqual(await secretsOf(set, 'b'), [command, null])
    assert.match(await record(['plan', '--exit-code'], 0), /= 2 unchanged/)
    // Another secret, and another value beside it.
    const changed = await record(['plan', '--exit-code'], 2, { HELPER_KEY: other })
    assert.match(
      changed,
      /^~ update {2}a {2}agents\/a\.yaml\n {4}api_key \(from env HELPER_KEY\): changes\n {4}white.* same$/m,
    )
    await record(['apply', '--yes', '-o', 'json'], 0, { HELPER_KEY: other })
    await record(['apply', '--yes', '-o', 'yaml'], 0, { HELPER_KEY: env })
    // A person changes the secret: no plan overwrites it without a decision.
    const id = (await set.members()).get('a')?.agent_id ?? ''
    await set.console.agents.update(id, { api_key: planted('person') })
    assert.match(await record(['plan'], 5), /^x conflict {2}a[\s\S]*--force-field api_key/m)
    await record(['apply', '--yes', '--force-field', 'api_key', '-o', 'json'], 0)
    assert.deepEqual(await secretsOf(set, 'a'), [env, file])
    // An error of the console.
    await write({
      'agents/b.yaml': document({
        agent_url: 'https://user:pass@example.com',
        api_key: { $secret: { env: 'HELPER_KEY' } },
      }),
    })
    await record(['apply', '--yes'], 1)
    await record(['pull', '--overwrite', '-d', 'agents'], 0)
    await json(['validate'])
    const files = globSync('**/*', { cwd: folder }).filter(
      (each) => !['token.txt', 'secret.sh'].includes(each),
    )
    const texts = files.map((each) => join(folder, each)).filter((each) => statSync(each).isFile())
    const everything = [
      ...output,
      ...running.logLines,
      ...texts.map((each) => readFileSync(each, 'utf8')),
    ].join('\n')
    for (const secret of [env, file, command, other]) assert.ok(!everything.includes(secret), secret)
  })

  it('that are missing are reported all at once, before anything is changed', async () => {
    const { write, run, members } = await useSetFolder(running, person, {
      env: { EMPTY: '', MASK: '********' },
    })
    const source = (value: object) => document({ api_key: { $secret: value } })
    await write({
      'agents/a.yaml': source({ env: 'NOT_SET' }),
      'agents/b.yaml': source({ env: 'EMPTY' }),
      'agents/c.yaml': source({ file: 'nowhere.txt' }),
      'agents/d.yaml': source({ command: ['sh', '-c', 'echo planted-output; exit 3'] }),
      'agents/e.yaml': source({ command: ['no-such-program'] }),
      'agents/f.yaml': source({ env: 'MASK' }),
      'agents/g.yaml': source({ env: 'NOT_SET' }),
    })
    const ran = await run(['apply', '--yes'])
    assert.equal(ran.code, 1)
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      'error: The files have 7 faults:',
      '  agents/a.yaml:1: the secret from env NOT_SET is not set',
      '  agents/b.yaml:1: the secret from env EMPTY is empty',
      '  agents/c.yaml:1: the secret from file nowhere.txt cannot be read: ENOENT',
      '  agents/d.yaml:1: the secret from command sh cannot be read: ended with 3',
      '  agents/e.yaml:1: the secret from command no-such-program cannot be read: ENOENT',
      '  agents/f.yaml:1: the secret from env MASK is a mask, not a secret',
      '  agents/g.yaml:1: the secret from env NOT_SET is not set',
    ])
    assert.equal((await members()).size, 0)
  })

  it('are in no printed object', async () => {
    const secrets = new Secrets()
    const use = { path: ['api_key'], source: { env: 'KEY' }, folder: '', file: '', line: 1 }
    const io = {
      env: { KEY: 'planted-value' },
      readOutput: async () => '',
      signal: new AbortController().signal,
    }
    assert.deepEqual(await secrets.resolve([use], io), [])
    assert.deepEqual(secrets.reveal({ api_key: null }, [use]), { api_key: 'planted-value' })
    assert.ok(
      !`${inspect(secrets, { depth: 9, showHidden: true })}${JSON.stringify(secrets)}`.includes('planted'),
    )
  })
})
