import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Console } from '@agent-console/sdk'
import { onFreePort } from '../../dev/free-port.ts'
import { useConsole } from '../../test/support/console.ts'
import { EXIT } from '../src/failure.ts'
import { EXIT_CODES } from '../src/help/help.ts'
import { readLine } from '../src/read-line.ts'
import { runCli, type Surroundings, useFolder } from './support/cli.ts'
import { useUnreliableProxy } from './support/unreliable-proxy.ts'

describe('the exit code', async () => {
  const running = await useConsole()
  const person = await running.person()
  const folder = await useFolder()
  const env = { XDG_CONFIG_HOME: folder, AGENT_CONSOLE_URL: running.url, AGENT_CONSOLE_TOKEN: person.token }
  const { agents } = new Console({ baseUrl: running.url, token: person.token })
  const create = async (name = randomUUID() as string) =>
    (await agents.create({ agent_name: name, model_name: 'm' })).agent.id

  const expect = async (code: number, argv: string[], message: RegExp, more: Surroundings = {}) => {
    const ran = await runCli(argv, { ...more, env: { ...env, ...more.env } })
    assert.equal(ran.code, code, `${argv.join(' ')}: ${ran.stderr}`)
    assert.match(`${ran.stderr}${ran.stdout}`, message)
    return ran
  }

  it('is documented', () => {
    assert.deepEqual(
      EXIT_CODES.map(([code]) => Number(code)),
      Object.values(EXIT),
    )
  })

  it('0: done, or no difference', async () => {
    const id = await create()
    await expect(0, ['agents', 'get', id], /agent_name/)
    await expect(0, ['agents', 'diff', id, '--exit-code'], /No differences/)
    await create()
    const more = /^There are more agents than the 1 shown\. Give a higher --limit, or --all\.$/m
    await expect(0, ['agents', 'list', '--limit', '1'], more)
    await expect(0, ['agents', 'list', '--help'], /Usage/)
    await expect(0, ['help', 'agents'], /agents list/)
    await expect(0, ['agents', '--version'], /^\d+\.\d+\.\d+\n$/)
  })

  it('1: the console refuses, does not answer or is not there', async () => {
    await expect(1, ['agents', 'get', randomUUID()], /Request /)
    await expect(
      1,
      ['agents', 'get', 'no such name'],
      /No agent has the name no such name\. List all with: agent-console agents list\n/,
    )
    await expect(1, ['agents', 'set', await create(), 'status=nonsense'], /values:\n {2}status: /)
    const silent = createServer(() => {})
    const port = await onFreePort(async (free) => void silent.listen(free, '127.0.0.1'))
    const url = { env: { AGENT_CONSOLE_URL: `http://127.0.0.1:${port}` } }
    await expect(1, ['api', 'GET', '/v1/me', '--timeout', '20ms'], /no response in time/, url)
    silent.closeAllConnections()
    silent.close()
    const refused = new RegExp(
      `ECONNREFUSED.*\\nIs http://127\\.0\\.0\\.1:${port} the address of the console`,
    )
    await expect(1, ['agents', 'list'], refused, url)
    await expect(1, ['api', 'GET', '/v1/nothing'], /404/)
  })

  it('1: several agents have the name, and the error lists them', async () => {
    const name = `agent ${randomUUID()}`
    const ids = [await create(name), await create(name)]
    await agents.update(ids[0] ?? '', { status: 'archived' })
    const { stderr } = await expect(1, ['agents', 'get', name], /Several agents/)
    for (const id of ids) assert.ok(stderr.includes(id), stderr)
  })

  it('2: there are differences, and the caller asks for it', async () => {
    const id = await create()
    await agents.update(id, { purpose: 'Answers' })
    await expect(2, ['agents', 'diff', id, '--exit-code'], /\+ Answers/)
    await expect(0, ['agents', 'diff', id], /\+ Answers/)
  })

  it('3: only some agents were deleted', async () => {
    const [first, second] = [await create(), await create()]
    const ran = await expect(3, ['agents', 'delete', first, second, '-o', 'json'], /was not deleted/, {
      columns: 80,
      // Another user is faster with the second one.
      readLine: async () => {
        await agents.delete(second)
        return 'yes'
      },
    })
    const rows = JSON.parse(ran.stdout) as { deleted: boolean }[]
    assert.deepEqual(
      rows.map(({ deleted }) => deleted),
      [true, false],
    )
  })

  it('1: an erasure whose response was lost, and the agent is gone', async () => {
    const lossy = await useUnreliableProxy(running.url)
    let deletions = 0
    lossy.refuseOther = (method) => (method === 'DELETE' && deletions++ === 0 ? 'lose' : undefined)
    const argv = ['agents', 'delete', await create(), '--yes', '--erase', '--if-revision', '1']
    const message = /^error: .* is gone, but the response was lost: it is not known/
    await expect(1, argv, message, { env: { AGENT_CONSOLE_URL: lossy.url } })
  })

  it('64: the user does not confirm a deletion, and nothing is deleted', async () => {
    const id = await create()
    await expect(64, ['agents', 'delete', id], /Nothing was deleted/, {
      columns: 80,
      readLine: async () => 'no',
    })
    // Ctrl-D: the error begins a line of its own.
    await expect(64, ['agents', 'delete', id], /go on: \n.*error:.* Nothing was deleted/, {
      columns: 80,
      readLine: async () => undefined,
    })
    await expect(64, ['agents', 'delete', id], /needs --yes/)
    await agents.get(id)
  })

  it('4: there is no login, the token is not accepted, or it does not allow it', async () => {
    await expect(4, ['whoami'], /There is no login for .*Run: agent-console login/, {
      env: { AGENT_CONSOLE_TOKEN: '' },
    })
    const renewal = /\nPut a valid token into AGENT_CONSOLE_TOKEN, or unset it to use your login\.\n/
    await expect(4, ['whoami'], renewal, { env: { AGENT_CONSOLE_TOKEN: 'not-a-token' } })
    const viewer = await running.person({ team: person.team, scope: 'agent:read' })
    const reader = { env: { AGENT_CONSOLE_TOKEN: viewer.token } }
    const hint = /agent:write\.\nSee your permissions with: agent-console whoami\n/
    await expect(4, ['agents', 'set', await create(), 'hub=h'], hint, reader)
    await expect(4, ['api', 'GET', '/v1/audit-events'], /403/, reader)
  })

  it('5: the agent has changed meanwhile', async () => {
    const id = await create()
    await agents.update(id, { hub: 'one' })
    await expect(5, ['agents', 'set', id, 'hub=two', '--if-revision', '1'], /changed meanwhile/)
    await expect(5, ['agents', 'stage', id, 'tested', '--if-revision', '1'], /changed meanwhile/)
    await expect(5, ['agents', 'restore', id, '1', '--if-revision', '1'], /changed meanwhile/)
    await expect(5, ['agents', 'delete', id, '--yes', '--if-revision', '1'], /changed meanwhile/)
    const body = join(folder, 'body.json')
    await writeFile(body, '{"hub": "two"}')
    const put = ['api', 'PUT', `/v1/agent-configurations/${id}`, '-f', body, '-H', 'if-match: "1"']
    await expect(5, put, /412/)
    const edited = await expect(5, ['agents', 'edit', id, '--field', 'hub'], /What you wrote is in (\S+)/, {
      columns: 80,
      runInTerminal: async (_, [path = '']) => {
        await writeFile(path, 'three\n')
        await agents.update(id, { hub: 'four' })
        return 0
      },
    })
    assert.match(edited.stderr, /Another user changed/)
  })

  for (const [what, argv, message] of [
    ['no command', [], /Usage/],
    ['a group', ['agents'], /agents list/],
    ['an unknown command', ['agent'], /Did you mean agents\?/],
    ['an unknown command of a group', ['agents', 'shwo'], /no command agents shwo/],
    ['an unknown command after a command', ['profiles', 'used'], /no command profiles used/],
    ['an unknown option', ['agents', 'list', '--statsu', 'x'], /Did you mean --status\?/],
    ['an option without its value', ['agents', 'list', '--query', '--all'], /--query needs a value/],
    ['a switch with a value', ['agents', 'list', '--all=yes'], /--all takes no value/],
    ['an unknown word', ['agents', 'list', '--status', 'live'], /--status is one of draft/],
    ['an unknown format', ['agents', 'list', '-o', 'xml'], /--output is one of table/],
    ['a missing argument', ['agents', 'get'], /AGENT is missing/],
    ['one argument too many', ['agents', 'get', 'a', 'b'], /b is one argument too many/],
    ['an unknown stage', ['agents', 'stage', 'a', 'best'], /STAGE is one of registered/],
    ['no number', ['agents', 'list', '--limit', 'many'], /--limit must be a positive integer/],
    ['no revision', ['agents', 'diff', 'a', '3..x'], /A revision must be/],
    ['no time', ['whoami', '--timeout', 'soon'], /--timeout must be a time/],
    ['no date', ['audit', '--since', 'yesterday'], /--since is a date/],
    ['both --limit and --all', ['agents', 'list', '--limit', '3', '--all'], /either --limit or --all/],
    ['no file', ['agents', 'create'], /-f FILE/],
    ['a file that is not there', ['agents', 'create', '-f', '/nowhere/x'], /there is no such file/],
    ['no assignment', ['agents', 'set', 'a', 'status'], /status is not FIELD=VALUE/],
    ['an unknown field', ['agents', 'set', 'a', 'statsu=x'], /Did you mean status\?/],
    ['a field with its own command', ['agents', 'set', 'a', 'trust_stage=x'], /agents stage/],
    ['an editor without a terminal', ['agents', 'edit', 'a'], /needs a terminal/],
    ['another server', ['api', 'GET', '//example.com/'], /not a path of the console/],
    ['no address', ['whoami', '--url', 'console'], /not the address of a console/],
    ['no profile', ['profiles', 'use', 'nowhere'], /There is no profile nowhere/],
    ['a bad name of a profile', ['whoami', '--profile', '../x'], /cannot be the name/],
  ] as [string, string[], RegExp][]) {
    it(`64: ${what}`, async () => {
      await expect(64, argv, message)
    })
  }

  it('130: interrupted', async () => {
    const leaving = new AbortController()
    leaving.abort()
    await create()
    for (const command of ['agents watch', 'agents list --all', 'audit --all']) {
      const ran = await runCli(command.split(' '), { env, signal: leaving.signal })
      assert.deepEqual(ran, { code: 130, stdout: '', stderr: '' }, command)
    }
  })

  it('130: interrupted, and no further agent is deleted', async () => {
    const ids = [await create(), await create(), await create()]
    const leaving = new AbortController()
    const listener = (message: unknown) => {
      if ((message as { request: IncomingMessage }).request.method === 'DELETE') leaving.abort()
    }
    subscribe('http.server.request.start', listener)
    const { signal } = leaving
    const ran = await runCli(['agents', 'delete', ...ids, '--yes', '-o', 'json'], { env, signal })
    unsubscribe('http.server.request.start', listener)
    assert.equal(ran.code, 130)
    assert.equal(ran.stderr, 'Interrupted. 1 deleted, 2 not deleted.\n')
    assert.deepEqual(
      (JSON.parse(ran.stdout) as { deleted: boolean }[]).map(({ deleted }) => deleted),
      [true, false, false],
    )
    for (const id of ids.slice(1)) await agents.get(id)
  })
})

describe('the input', () => {
  it('has no line if the user ends it', async () => {
    const { signal } = new AbortController()
    assert.equal(await readLine(Readable.from(['yes\n', 'more\n']), signal), 'yes')
    assert.equal(await readLine(Readable.from(['yes']), signal), 'yes')
    assert.equal(await readLine(Readable.from([]), signal), undefined)
    await assert.rejects(readLine(new PassThrough(), AbortSignal.abort()), { name: 'AbortError' })
  })
})
