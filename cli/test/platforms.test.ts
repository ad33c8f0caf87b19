import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readAssignments, toUpdate } from '../src/agents/assignments.ts'
import { editorOf } from '../src/agents/editor.ts'
import { readObject, readText } from '../src/agents/read-file.ts'
import { outputOf } from '../src/process.ts'
import { browserCommand, hasBrowser } from '../src/session/browser.ts'
import { createEntryStore } from '../src/session/keyring.ts'
import { withLock } from '../src/session/lock.ts'
import { checkProfileName, pathsOf } from '../src/session/paths.ts'
import { currentLogin } from '../src/session/refresh.ts'
import { windowsLine } from '../src/windows-line.ts'
import { useFolder } from './support/cli.ts'

const stdin = {
  ...{ isTerminal: false, readAll: async () => 'from stdin\n', readLine: async () => '' },
  chunks: () => Readable.from([]),
}

describe('an output', () => {
  it('that does not know its width has 80 columns, and one that is no terminal has none', () => {
    const write = () => true
    assert.equal(outputOf({ columns: 132, write }, true).columns, 132)
    assert.equal(outputOf({ columns: 0, write }, true).columns, 80)
    assert.equal(outputOf({ columns: 132, write }, false).columns, undefined)
  })
})

describe('the folder of the profiles', () => {
  const folderOf = (platform: NodeJS.Platform, home: string, env: Record<string, string> = {}) =>
    pathsOf({ platform, home, env }).folder

  it('is in %APPDATA% on Windows', () => {
    const env = { APPDATA: 'C:\\Users\\Ada Lovelace\\AppData\\Roaming' }
    const { config, login, lock } = pathsOf({ platform: 'win32', home: 'C:\\Users\\Ada Lovelace', env })
    assert.equal(config, 'C:\\Users\\Ada Lovelace\\AppData\\Roaming\\agent-console\\config.json')
    assert.equal(login('work'), 'C:\\Users\\Ada Lovelace\\AppData\\Roaming\\agent-console\\logins\\work.json')
    assert.equal(lock('work'), 'C:\\Users\\Ada Lovelace\\AppData\\Roaming\\agent-console\\logins\\work.lock')
    assert.equal(folderOf('win32', 'C:\\Users\\a'), 'C:\\Users\\a\\AppData\\Roaming\\agent-console')
    assert.equal(
      folderOf('win32', 'C:\\Users\\a', { APPDATA: '\\\\server\\share' }),
      '\\\\server\\share\\agent-console',
    )
    // A variable of another system.
    assert.equal(
      folderOf('win32', 'C:\\Users\\a', { XDG_CONFIG_HOME: 'C:\\x' }),
      'C:\\Users\\a\\AppData\\Roaming\\agent-console',
    )
  })

  it('is in the XDG folder elsewhere, which must be absolute', () => {
    assert.equal(folderOf('linux', '/home/ada'), '/home/ada/.config/agent-console')
    assert.equal(folderOf('darwin', '/Users/ada'), '/Users/ada/.config/agent-console')
    assert.equal(folderOf('linux', '/home/ada', { XDG_CONFIG_HOME: '/etc/ada' }), '/etc/ada/agent-console')
    assert.equal(
      folderOf('linux', '/home/ada', { XDG_CONFIG_HOME: 'here' }),
      '/home/ada/.config/agent-console',
    )
  })

  it('has files with names that every system can have', () => {
    for (const name of ['default', 'a.b-c_d', 'X'.repeat(64)]) assert.equal(checkProfileName(name), name)
    for (const name of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      'a:b',
      'con',
      'NUL.txt',
      'com1',
      'a.',
      'é',
      'X'.repeat(65),
    ]) {
      assert.throws(() => checkProfileName(name), { name: 'UsageError' }, name)
    }
  })
})

describe('a login in the keyring', async () => {
  const entries = new Map<number, string>()
  const store = createEntryStore((part) => ({
    getPassword: async () => entries.get(part) ?? null,
    setPassword: async (text) => void entries.set(part, text),
    deletePassword: async () => entries.delete(part),
  }))
  const loginOf = (letter: string, length = 3_000) => ({
    ...{ access_token: letter.repeat(length), refresh_token: letter, expires_at: Date.now() },
  })
  const lockPath = join(await useFolder(), 'default.lock')
  const { signal } = new AbortController()
  const profile = { url: 'u', issuer: 'i', client_id: 'c', scope: 's', storage: 'keyring' } as const
  const readCurrent = () =>
    currentLogin({
      name: 'default',
      profile,
      store,
      lockPath,
      io: { now: () => 0, signal },
      timeoutMs: 1_000,
    })

  it('is whole or absent, also while another process writes one', async () => {
    await store.write(loginOf('a'))
    const before = new Map(entries)
    await store.write(loginOf('b'))
    assert.equal((await store.read())?.access_token, 'b'.repeat(3_000))
    assert.equal(entries.size, 3)
    assert.ok([...entries.values()].every((text) => text.length <= 1_280))
    for (const [part, text] of entries) {
      entries.set(part, before.get(part) ?? '')
      assert.equal(await store.read(), undefined)
      entries.set(part, text)
    }
    await store.write(loginOf('c', 10))
    assert.equal(entries.size, 1)
    assert.equal((await store.read())?.access_token, 'c'.repeat(10))
    await store.remove()
    assert.equal(await store.read(), undefined)
  })

  it('is read again under the lock when another process writes one', async () => {
    await store.write(loginOf('a'))
    const old = entries.get(0) ?? ''
    const half = Promise.withResolvers<void>()
    const reading = Promise.withResolvers<void>()
    const writing = withLock(lockPath, signal, async () => {
      await store.write(loginOf('b'))
      const first = entries.get(0) ?? ''
      entries.set(0, old)
      half.resolve()
      await reading.promise
      entries.set(0, first)
    })
    await half.promise
    const login = readCurrent()
    await Promise.race([delay(100), login])
    reading.resolve()
    await writing
    assert.equal((await login).refresh_token, 'b')
  })

  it('that is damaged is logged in to again', async () => {
    entries.set(0, '2:{"access_token":"a')
    await assert.rejects(readCurrent(), { name: 'NotLoggedIn', message: /Run: agent-console login$/ })
  })
})

describe('the editor', () => {
  it('may have arguments and a path with spaces', () => {
    const editor = (EDITOR: string, platform: NodeJS.Platform = 'linux') =>
      editorOf({ env: { EDITOR }, platform })
    assert.deepEqual(editor('code --wait'), ['code', '--wait'])
    assert.deepEqual(editor('"/opt/my editor/bin/edit" -n \'a b\''), ['/opt/my editor/bin/edit', '-n', 'a b'])
    assert.deepEqual(editor('C:\\Program Files\\Notepad++\\notepad++.exe -multiInst', 'win32'), [
      'C:\\Program Files\\Notepad++\\notepad++.exe',
      '-multiInst',
    ])
    assert.deepEqual(editor('"C:\\Program Files\\Edit.exe" /w', 'win32'), [
      'C:\\Program Files\\Edit.exe',
      '/w',
    ])
    assert.deepEqual(editorOf({ env: {}, platform: 'win32' }), ['notepad'])
    assert.equal(
      windowsLine(['C:\\Program Files\\Edit.exe', '/w', 'C:\\Temp\\a&b.txt']),
      '"C:\\Program Files\\Edit.exe" /w "C:\\Temp\\a&b.txt"',
    )
    assert.deepEqual(editorOf({ env: { VISUAL: 'a', EDITOR: 'b' }, platform: 'linux' }), ['a'])
  })
})

describe('the browser', () => {
  it('is opened without a shell, which would read the address', () => {
    const page = 'https://issuer.example/auth?a=1&b=%PATH%'
    assert.deepEqual(browserCommand({ env: {}, platform: 'win32' }, page), [
      'rundll32',
      ['url.dll,FileProtocolHandler', page],
    ])
    assert.deepEqual(browserCommand({ env: {}, platform: 'darwin' }, page), ['open', [page]])
    assert.deepEqual(browserCommand({ env: {}, platform: 'linux' }, page), ['xdg-open', [page]])
  })

  it('exists where the user sees its page', () => {
    assert.ok(hasBrowser({ env: {}, platform: 'win32' }))
    assert.ok(!hasBrowser({ env: { SSH_CONNECTION: 'x' }, platform: 'darwin' }))
    assert.ok(!hasBrowser({ env: {}, platform: 'linux' }))
    assert.ok(hasBrowser({ env: { WAYLAND_DISPLAY: 'wayland-0' }, platform: 'linux' }))
    assert.ok(!hasBrowser({ env: { DISPLAY: ':0', CI: 'true' }, platform: 'linux' }))
  })
})

describe('a file', async () => {
  const folder = await useFolder()
  const path = join(folder, 'agent.yaml')

  it('of Windows has a byte order mark and other ends of lines', async () => {
    await writeFile(path, '\ufeffagent_name: Helper\r\nagent_system_prompt: |\r\n  One\r\n  Two\r\n')
    assert.deepEqual(await readObject(path, { stdin }), {
      agent_name: 'Helper',
      agent_system_prompt: 'One\nTwo\n',
    })
    await writeFile(path, '\ufeff{"agent_name": "Helper"}\r\n')
    assert.deepEqual(await readObject(path, { stdin }), { agent_name: 'Helper' })
    assert.equal(await readText('-', { stdin }), 'from stdin\n')
  })

  it('that is no object, or neither JSON nor YAML, is refused', async () => {
    for (const [text, message] of [
      ['[1, 2]', /must hold one object/],
      ['a: b: c', /neither JSON nor YAML/],
      ['', /must hold one object/],
    ] as const) {
      await writeFile(path, text)
      await assert.rejects(readObject(path, { stdin }), { message })
    }
  })

  it('gives the value of a field', async () => {
    await writeFile(path, 'sk-1\r\n')
    const texts = [
      `api_key=@${path}`,
      'purpose=@@home',
      'test_score=1.50',
      'rate_limit_requests_per_minute=20',
      'agent_url=null',
      'evaluated_harnesses=a, b',
      'agent_metadata.tags=[x]',
      'agent_params.rag_params.k=3',
      'agent_params.temperature=0.2',
      'agent_name=123',
    ]
    const agent = {
      agent_params: { top_p: 1, rag_params: { k: 1, kept: true } },
      agent_metadata: null,
    } as never
    assert.deepEqual(toUpdate(agent, await readAssignments(texts, { stdin })), {
      ...{ api_key: 'sk-1', purpose: '@home', test_score: '1.50', rate_limit_requests_per_minute: 20 },
      ...{ agent_url: null, evaluated_harnesses: ['a', 'b'], agent_metadata: { tags: ['x'] } },
      agent_params: { top_p: 1, rag_params: { k: 3, kept: true }, temperature: 0.2 },
      agent_name: '123',
    })
  })

  it('gives a secret exactly as the file has it, and takes none from the command line', async () => {
    const read = async (...texts: string[]) => toUpdate({}, await readAssignments(texts, { stdin }))
    for (const secret of ['null', '123e4567', '*alias', '{"a": 1}']) {
      await writeFile(path, `${secret}\n`)
      assert.deepEqual(await read(`api_key=@${path}`, `white_box_config.github_token=@${path}`), {
        ...{ api_key: secret, white_box_config: { github_token: secret } },
      })
    }
    assert.deepEqual(await read('api_key=null', 'white_box_config.github_token=null'), {
      ...{ api_key: null, white_box_config: { github_token: null } },
    })
    const holder = 'white_box_config={"repo_url": "https://git.example/a", "github_token": "planted"}'
    const inline = ['api_key=planted', 'api_key=@@planted', 'white_box_config.github_token=planted', holder]
    for (const text of inline) {
      const path = text.replace(/=.*/, '')
      await assert.rejects(read(text), {
        message: new RegExp(`no secret\\. Give ${path}=@FILE, (?!.*planted)`),
      })
    }
    await writeFile(path, holder.replace(/^\w+=/, ''))
    assert.deepEqual(await read(`white_box_config=@${path}`), {
      white_box_config: { repo_url: 'https://git.example/a', github_token: 'planted' },
    })
  })
})
