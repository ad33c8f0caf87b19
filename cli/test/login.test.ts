import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { clientId, clientSecret } from '../../dev/issuer/client.ts'
import type { DemoPerson } from '../../dev/issuer/people.ts'
import { useConsole } from '../../test/support/console.ts'
import { startIssuer } from '../../test/support/issuer/issuer.ts'
import { createUserAgent } from '../../test/support/user-agent.ts'
import type { FileLogin } from '../src/session/login-store.ts'
import { runCli, type Surroundings, useFolder } from './support/cli.ts'

type Who = DemoPerson['key']

const DEVICE = { device_code: 'd', user_code: 'U', verification_uri: 'http://127.0.0.1/', expires_in: 600 }

/** Has a browser, which `start` opens. */
const DESKTOP = { DISPLAY: ':0' }

describe('a login', async () => {
  // A machine with a desktop has a keyring; this test is about one without.
  process.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nowhere'
  const issuer = await startIssuer({ personTokenSeconds: 600 })
  const running = await useConsole({ issuer })

  /** Each test has profiles of its own. */
  const surroundings = async (more: Surroundings = {}): Promise<Surroundings & { folder: string }> => {
    const folder = await useFolder()
    return { ...more, folder, env: { XDG_CONFIG_HOME: folder, AGENT_CONSOLE_URL: running.url, ...more.env } }
  }
  const json = async (argv: string[], given: Surroundings) => {
    const ran = await runCli([...argv, '-o', 'json'], given)
    assert.equal(ran.code, 0, ran.stderr)
    return JSON.parse(ran.stdout) as Record<string, unknown>
  }
  const storedLogin = async (folder: string, profile = 'default') => {
    const path = join(folder, 'agent-console/logins', `${profile}.json`)
    return { path, login: JSON.parse(await readFile(path, 'utf8')) as FileLogin }
  }

  /** Opens the page that the program asks for, and picks a person. */
  const browse =
    (who: Who): NonNullable<Surroundings['start']> =>
    async (command, [page = '']) => {
      assert.equal(command, 'xdg-open')
      const userAgent = createUserAgent()
      const { url } = await userAgent.visit(page)
      const back = await userAgent.visit(url, { method: 'POST', body: new URLSearchParams({ person: who }) })
      // Not awaited: the program answers only after `start` has returned.
      void fetch(back.url).then(async (response) => assert.match(await response.text(), /You are logged in/))
    }
  const logIn = async (given: Surroundings, ...options: string[]) =>
    runCli(['login', '--insecure-storage', ...options], {
      ...given,
      env: { ...given.env, ...DESKTOP },
      start: given.start ?? browse('administrator'),
    })
  /** A login that the next command must renew. */
  const logInExpired = async (given: Surroundings & { folder: string }) => {
    await logIn(given)
    const { path, login } = await storedLogin(given.folder)
    await writeFile(path, JSON.stringify({ ...login, expires_at: 1 }))
    return { path, login }
  }

  it('with the browser stores a login that only the user can read', async () => {
    const given = await surroundings()
    const ran = await logIn(given)
    assert.equal(ran.code, 0, ran.stderr)
    assert.match(ran.stdout, /^User +\S.*\nTeam +\S+\nConsole +http\S+\nProfile +default\n$/)
    const { path, login } = await storedLogin(given.folder)
    assert.ok(login.refresh_token)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700)
    const config = await readFile(join(given.folder, 'agent-console/config.json'), 'utf8')
    assert.ok(!config.includes(login.access_token) && !config.includes(login.refresh_token))
    assert.ok(!`${ran.stdout}${ran.stderr}`.includes(login.access_token))

    const me = await json(['whoami'], given)
    const person = issuer.people.find(({ key }) => key === 'administrator')
    assert.deepEqual(
      [me['user_id'], me['profile'], me['storage'], me['token_source'], me['client_id']],
      [person?.user, 'default', 'file', 'login', 'agent-console-cli'],
    )
  })

  it('on another device waits for the user', async () => {
    const userAgent = createUserAgent()
    const waits: number[] = []
    let shown = ''
    const given = await surroundings({
      sleep: async (ms) => {
        waits.push(ms)
        if (waits.length === 2) await approve(userAgent, shown)
      },
    })
    const ran = runCli(['login', '--device', '--insecure-storage'], {
      ...given,
      onStderr: (text) => {
        shown += text
      },
    })
    assert.equal((await ran).code, 0, (await ran).stderr)
    assert.deepEqual(waits, [5_000, 5_000])
    assert.equal((await json(['whoami'], given))['storage'], 'file')
  })

  it('on another device that the user refuses is no login', async () => {
    const given = await surroundings({ sleep: async () => approve(createUserAgent(), shown, 'abort') })
    let shown = ''
    const ran = await runCli(['login', '--device', '--insecure-storage'], {
      ...given,
      onStderr: (text) => {
        shown += text
      },
    })
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /access_denied/)
  })

  it('is the device flow where there is no browser', async () => {
    const given = await surroundings({ signal: AbortSignal.abort() })
    assert.equal((await runCli(['login', '--insecure-storage'], given)).code, 130)
    let shown = ''
    const leaving = new AbortController()
    const ran = await runCli(['login', '--insecure-storage'], {
      ...given,
      signal: leaving.signal,
      sleep: async () => {
        leaving.abort()
        leaving.signal.throwIfAborted()
      },
      onStderr: (text) => {
        shown += text
      },
    })
    assert.equal(ran.code, 130)
    assert.match(shown, /enter the code/)
  })

  it('needs the state that it sent', async () => {
    const given = await surroundings({
      start: async (_, [page = '']) => {
        const redirect = new URL(page).searchParams.get('redirect_uri') ?? ''
        void fetch(`${redirect}?code=stolen&state=another&iss=${encodeURIComponent(issuer.url)}`)
      },
    })
    const ran = await logIn(given)
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /state/)
  })

  it('of a user without a team is refused, because the console refuses it', async () => {
    const given = await surroundings({ start: browse('newcomer') })
    const ran = await logIn(given)
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /the console does not/)
    await assert.rejects(storedLogin(given.folder), { code: 'ENOENT' })
  })

  it('without a keyring is refused before the browser opens, with both ways out', async () => {
    const given = await surroundings({ start: () => assert.fail('opened'), env: DESKTOP })
    const ran = await runCli(['login'], given)
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /keyring of the system cannot be used: .*DBus/)
    assert.match(ran.stderr, /--insecure-storage/)
    assert.match(ran.stderr, /AGENT_CONSOLE_TOKEN/)
  })

  it('is renewed with the refresh token, which is replaced', async (t) => {
    const given = await surroundings()
    const { login } = await logInExpired(given)
    const { mock } = t.mock.method(AbortSignal, 'timeout')
    await json(['whoami', '--timeout', '60m'], given)
    const { login: renewed } = await storedLogin(given.folder)
    assert.notEqual(renewed.refresh_token, login.refresh_token)
    assert.ok(renewed.expires_at > Date.now() / 1_000 + 500)
    // Another process takes the lock over after two minutes.
    const limits = mock.calls.map((call) => call.arguments[0])
    assert.ok(limits.includes(30_000) && !limits.includes(3_600_000), limits.join())
  })

  it('is stored when Ctrl-C comes while it is renewed', async () => {
    const given = await surroundings()
    const { login } = await logInExpired(given)
    const leaving = new AbortController()
    const leave = (message: unknown) => {
      const { request } = message as { request: IncomingMessage }
      if (request.url === '/token') leaving.abort()
    }
    subscribe('http.server.request.start', leave)
    const ran = await runCli(['whoami'], { ...given, signal: leaving.signal })
    unsubscribe('http.server.request.start', leave)
    assert.deepEqual(ran, { code: 130, stdout: '', stderr: '' })
    assert.notEqual((await storedLogin(given.folder)).login.refresh_token, login.refresh_token)
    await json(['whoami'], given)
  })

  it('that the issuer has ended says so, and what to do', async () => {
    const given = await surroundings()
    await logIn(given)
    const { path, login } = await storedLogin(given.folder)
    await writeFile(path, JSON.stringify({ ...login, expires_at: 1, refresh_token: 'unknown' }))
    const ran = await runCli(['whoami'], given)
    assert.equal(ran.code, 4)
    // In the same place: this machine may have no keyring.
    assert.match(ran.stderr, /has ended\. .*invalid_grant.* Run: agent-console login --insecure-storage\n/)
    await writeFile(path, JSON.stringify({ ...login, access_token: 'unknown' }))
    const refused = await runCli(['whoami'], given)
    assert.match(refused.stderr, /does not accept the login\. Run: agent-console login --insecure-storage\n/)
  })

  it('of a profile that does not exist names those that do', async () => {
    const given = await surroundings()
    await logIn(given)
    const env = { ...given.env, AGENT_CONSOLE_URL: undefined }
    const ran = await runCli(['whoami', '--profile', 'stagign'], { ...given, env })
    assert.equal(ran.code, 64)
    assert.match(ran.stderr, /There is no profile stagign\. Profiles: default\.\n/)
    const none = await runCli(['whoami'])
    assert.match(
      none.stderr,
      /No console is named\. Set AGENT_CONSOLE_URL, or run: agent-console login --url URL\n/,
    )
  })

  it('ends with a logout, also at the issuer', async () => {
    const given = await surroundings()
    await logIn(given)
    const { path, login } = await storedLogin(given.folder)
    assert.deepEqual(await json(['logout'], given), { profile: 'default', was_logged_in: true })
    await assert.rejects(stat(path), { code: 'ENOENT' })
    const ran = await runCli(['whoami'], given)
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /has no login/)
    assert.equal((await json(['logout'], given))['was_logged_in'], false)

    await writeFile(path, JSON.stringify({ ...login, expires_at: 1 }))
    assert.match((await runCli(['whoami'], given)).stderr, /invalid_grant/)
  })

  it('belongs to a profile, and reaches no other console', async () => {
    const given = await surroundings()
    await logIn(given, '--profile', 'one')
    await logIn({ ...given, start: browse('viewer') }, '--profile', 'two')
    const profiles = (await json(['profiles'], given)) as unknown as { name: string; is_current: boolean }[]
    assert.deepEqual(
      profiles.map(({ name, is_current: isCurrent }) => [name, isCurrent]),
      [
        ['one', false],
        ['two', true],
      ],
    )
    const permissions = async (...argv: string[]) =>
      ((await json(['whoami', ...argv], given))['permissions'] as string[]).length
    const viewer = await permissions()
    assert.ok((await permissions('--profile', 'one')) > viewer)
    assert.equal((await json(['profiles', 'use', 'one'], given))['current'], 'one')
    assert.ok((await permissions()) > viewer)

    const { url, requests } = await startStub([])
    const ran = await runCli(['whoami', '--url', url], given)
    assert.equal(ran.code, 64)
    assert.match(ran.stderr, /belongs to/)
    assert.deepEqual(requests, [])
  })

  it('of another console is not used by a process that has read the profile before', async () => {
    const given = await surroundings()
    await logIn(given)
    const config = join(given.folder, 'agent-console/config.json')
    const before = await readFile(config, 'utf8')
    const other = running.url.replace('127.0.0.1', 'localhost')
    const logged = await logIn(given, '--url', other)
    assert.equal(logged.code, 0, logged.stderr)
    assert.equal((await storedLogin(given.folder)).login.url, other)
    // What that process has read. A login that was killed before it has changed the profile leaves the same.
    await writeFile(config, before)
    const ran = await runCli(['whoami'], given)
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /The profile default has no login for http:\/\/127\.0\.0\.1:\d+\. Run: /)
  })

  it('comes after a token and client credentials of the environment', async () => {
    const given = await surroundings()
    await logIn(given)
    const program = await running.person()
    const client = {
      AGENT_CONSOLE_CLIENT_ID: clientId(program),
      AGENT_CONSOLE_CLIENT_SECRET: clientSecret,
      AGENT_CONSOLE_SCOPE: 'agent:read',
    }
    const withClient = { ...given, env: { ...given.env, ...client } }
    const me = await json(['whoami'], withClient)
    assert.deepEqual(
      [me['user_id'], me['permissions'], me['token_source'], me['storage']],
      [program.user, ['agent:read'], 'AGENT_CONSOLE_CLIENT_ID', null],
    )
    const other = await running.person()
    const withToken = { ...given, env: { ...withClient.env, AGENT_CONSOLE_TOKEN: ` ${other.token}\n` } }
    assert.equal((await json(['whoami'], withToken))['user_id'], other.user)

    const wrong = { ...given, env: { ...withClient.env, AGENT_CONSOLE_CLIENT_SECRET: 'wrong' } }
    const ran = await runCli(['whoami'], wrong)
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /invalid_client/)
    const incomplete = { ...given, env: { ...withClient.env, AGENT_CONSOLE_CLIENT_SECRET: '' } }
    assert.equal((await runCli(['whoami'], incomplete)).code, 64)
  })

  /** An issuer whose token endpoint gives these answers, one after the other. */
  const startStub = async (answers: object[]) => {
    const forms: URLSearchParams[] = []
    const requests: string[] = []
    const answer = async (request: IncomingMessage) => {
      requests.push(request.url ?? '')
      if (request.url === '/device') return DEVICE
      if (request.url !== '/token') return metadata
      forms.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()))
      return answers[forms.length - 1] ?? {}
    }
    const server = createServer((request, response) => {
      void (async () => {
        const body = await answer(request)
        const status = 'status' in body ? Number(body.status) : 'error' in body ? 400 : 200
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })()
    })
    const port = await onFreePort(async (free) => {
      server.listen(free, '127.0.0.1')
      await once(server, 'listening')
    })
    after(() => {
      server.close()
      server.closeAllConnections()
    })
    const url = `http://127.0.0.1:${port}`
    const metadata = {
      issuer: url,
      token_endpoint: `${url}/token`,
      device_authorization_endpoint: `${url}/device`,
    }
    return { url, forms, requests }
  }

  const DOWN = { status: 503 }
  /** A login that this stub renews. */
  const logInAtStub = async (given: Surroundings & { folder: string }, answers: object[]) => {
    const { login } = await logInExpired(given)
    const renewed = { access_token: login.access_token, token_type: 'Bearer', expires_in: 600 }
    const stub = await startStub([...answers, renewed])
    const config = join(given.folder, 'agent-console/config.json')
    await writeFile(config, (await readFile(config, 'utf8')).replaceAll(issuer.url, stub.url))
    return stub
  }

  it('that the issuer does not renew for a moment is asked for again, also by a watch', async () => {
    const busy = { status: 429, error: 'too_many_requests' }
    const given = await surroundings()
    const { forms } = await logInAtStub(given, [DOWN, busy])
    // This console has no events, which ends the watch as soon as there is a token.
    const ran = await runCli(['agents', 'watch'], given)
    assert.match(
      ran.stderr,
      /^Interrupted \(The issuer http\S+ did not answer as expected: .*\)\. Connecting again\.\n/,
    )
    assert.match(ran.stderr, /\nerror: .*events/)
    assert.equal(forms.length, 3)
  })

  it('that the issuer does not renew names the issuer, and not the address of the console', async () => {
    const given = await surroundings()
    const { forms } = await logInAtStub(given, [DOWN, DOWN, DOWN])
    const ran = await runCli(['whoami'], given)
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /^error: The issuer http\S+ did not answer as expected: [^\n]*\.\n$/)
    assert.equal(forms.length, 3)
  })

  it('on another device waits longer each time when the issuer says slow_down', async () => {
    const { token } = await running.person()
    const waits: number[] = []
    const stub = await startStub([
      { error: 'slow_down' },
      { error: 'authorization_pending' },
      { error: 'slow_down' },
      { access_token: token, token_type: 'Bearer' },
    ])
    const given = await surroundings({ sleep: async (ms) => void waits.push(ms) })
    const ran = await runCli(['login', '--device', '--insecure-storage', '--issuer', stub.url], given)
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(waits, [5_000, 10_000, 10_000, 15_000])
  })

  it('of a program can be an assertion of its platform, which is read each time', async () => {
    const given = await surroundings()
    const { token } = await running.person()
    const answer = { access_token: token, token_type: 'Bearer', expires_in: 600 }
    const { url, forms } = await startStub([answer, answer])
    const file = join(given.folder, 'assertion')
    const env = {
      ...{ ...given.env, AGENT_CONSOLE_CLIENT_ID: 'ci', AGENT_CONSOLE_ISSUER: url },
      AGENT_CONSOLE_CLIENT_ASSERTION_FILE: file,
    }
    for (const assertion of ['first', 'second']) {
      await writeFile(file, `${assertion}\n`)
      await json(['whoami'], { ...given, env })
    }
    assert.deepEqual(
      forms.map((form) => [form.get('client_id'), form.get('client_assertion')]),
      [
        ['ci', 'first'],
        ['ci', 'second'],
      ],
    )
  })

  it('names its console over HTTPS or on this machine only', async () => {
    const given = await surroundings()
    const insecure = ['login', '--insecure-storage', '--device', '--issuer', 'http://issuer.example']
    const ran = await runCli(insecure, given)
    assert.equal(ran.code, 64)
    assert.match(ran.stderr, /HTTPS/)
    const password = await runCli(['whoami', '--url', 'https://user:hunter2@console.example'], given)
    assert.equal(password.code, 64)
    assert.ok(!password.stderr.includes('hunter2'))
  })

  /** Enters the code that the program shows, as a person does. */
  async function approve(userAgent: ReturnType<typeof createUserAgent>, shown: string, answer = 'confirm') {
    const code = /\n {2}(\S+)\n/.exec(shown)?.[1] ?? ''
    const page = /Visit (\S+) on/.exec(shown)?.[1] ?? ''
    const first = await userAgent.visit(page)
    const form = (html: string) =>
      Object.fromEntries(
        [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      )
    const fields = form(await first.response.text())
    const second = await userAgent.visit(page, {
      method: 'POST',
      body: new URLSearchParams({ xsrf: fields['xsrf'] ?? '', user_code: code }),
    })
    const html = await second.response.text()
    assert.match(html, new RegExp(`<code>${code}</code>`))
    const { abort: _, ...confirmed } = form(html)
    const body = new URLSearchParams({ ...confirmed, ...(answer === 'abort' && { abort: 'yes' }) })
    const third = await userAgent.visit(page, { method: 'POST', body })
    if (answer === 'abort') return
    const last = await userAgent.visit(third.url, {
      method: 'POST',
      body: new URLSearchParams({ person: 'administrator' }),
    })
    assert.match(await last.response.text(), /You are signed in/)
  }
})
