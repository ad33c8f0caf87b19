import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { apiResource, cliClientId } from '../../dev/issuer/client.ts'
import { useConsole } from '../../test/support/console.ts'
import { startIssuer } from '../../test/support/issuer/issuer.ts'
import { createUserAgent } from '../../test/support/user-agent.ts'
import { VERSION } from '../src/version.ts'
import { outcomeOf, useBuiltProgram } from './support/built-program.ts'
import { runCli, useFolder } from './support/cli.ts'
import { document, useSetFolder } from './support/set-folder.ts'

/** The parser of YAML is a third of it; each command loads only its own part. */
const MAX_BUNDLE_BYTES = 316_000
const MAX_ENTRY_BYTES = 60_000
const PROCESSES = 20

describe('the built program', async () => {
  const { dist, program, env: built } = await useBuiltProgram()
  const issuer = await startIssuer()
  const running = await useConsole({ issuer })
  const { token } = await running.person()
  const env = { ...built, AGENT_CONSOLE_URL: running.url, AGENT_CONSOLE_TOKEN: token }

  const start = (argv: string[], more: Record<string, string | undefined> = {}) =>
    spawn(process.execPath, [program, ...argv], { env: { ...env, ...more } })

  it(`is at most ${MAX_BUNDLE_BYTES} bytes, and what every call loads at most ${MAX_ENTRY_BYTES}`, (t) => {
    const files = globSync('**/*.js', { cwd: dist }).map((file) => ({
      file,
      size: statSync(join(dist, file)).size,
    }))
    const sum = (chosen: { size: number }[]) => chosen.reduce((total, { size }) => total + size, 0)
    const always = loadedAtStart(dist)
    const entry = sum(files.filter(({ file }) => always.has(file)))
    t.diagnostic(`${sum(files)} bytes, ${entry} in every call`)
    assert.ok(sum(files) <= MAX_BUNDLE_BYTES, `${sum(files)} bytes`)
    assert.ok(entry <= MAX_ENTRY_BYTES, `${entry} bytes`)
  })

  it('has the version of its package', async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as object
    assert.equal('version' in manifest && manifest.version, VERSION)
    assert.deepEqual(await outcomeOf(start(['--version'])), { stdout: `${VERSION}\n`, stderr: '', code: 0 })
  })

  it('prints only JSON on standard output, without a terminal no colours, and asks nothing', async () => {
    const json = { agent_name: 'Helper', model_name: 'm' }
    await running.request('POST', '/v1/agent-configurations', { token, json })
    const child = start(['agents', 'delete', 'Helper'])
    const refused = await outcomeOf(child)
    assert.equal(refused.code, 64)
    assert.match(refused.stderr, /^error: Without a terminal, a deletion needs --yes\.\n$/)
    const listed = await outcomeOf(start(['agents', 'list', '-o', 'json', '--verbose']))
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 1)
    assert.match(listed.stderr, /GET \/v1\/agent-configurations: 200/)
    assert.ok(!listed.stderr.includes(token))
  })

  it('ends with 130 when it is interrupted', async () => {
    const child = start(['login', '--device', '--insecure-storage'])
    const result = outcomeOf(child)
    // It waits for the user once the code is shown.
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    assert.equal((await result).code, 130)
  })

  it('ends quietly when its reader has gone', async () => {
    const child = start(['completion', 'bash'])
    child.stdout.destroy()
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
  })

  it('applies everything although its reader has gone', async () => {
    const person = await running.person()
    const set = await useSetFolder(running, person)
    await set.write({ 'agents/a.yaml': document({}), 'agents/b.yaml': document({}) })
    const child = spawn(process.execPath, [program, 'apply', '--yes', '--verbose'], {
      cwd: set.folder,
      env: { ...built, AGENT_CONSOLE_TOKEN: person.token },
    })
    child.stdout.destroy()
    child.stderr.destroy()
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
    assert.equal((await set.members()).size, 2)
  })

  it('ends a command that prints until it is ended, when its reader has gone', async () => {
    const child = start(['mcp'])
    child.stdout.destroy()
    child.stdin.write('not JSON\n')
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
  })

  it('goes through the proxy of the environment', async () => {
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(502).end()
    })
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '')
      const { port } = new URL(running.url)
      const target = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        target.pipe(socket).pipe(target)
      })
    })
    const port = await onFreePort(async (free) => {
      proxy.listen(free, '127.0.0.1')
      await once(proxy, 'listening')
    })
    after(() => proxy.close())
    const url = `http://127.0.0.1:${port}`
    const tls = await outcomeOf(
      start(['whoami'], { HTTPS_PROXY: url, AGENT_CONSOLE_URL: 'https://console.invalid' }),
    )
    assert.equal(tls.code, 1)
    assert.ok(asked.includes('console.invalid:443'), asked.join())
    const without = { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '127.0.0.1' }
    asked.length = 0
    assert.equal((await outcomeOf(start(['whoami'], without))).code, 0)
    assert.deepEqual(asked, [])
  })

  it(`refreshes a login once, if ${PROCESSES} processes need it at the same time`, async () => {
    const config = await useFolder()
    const given = { env: { XDG_CONFIG_HOME: config, AGENT_CONSOLE_URL: running.url, DISPLAY: ':0' } }
    const logged = await runCli(['login', '--insecure-storage'], {
      ...given,
      start: async (_, [page = '']) => {
        const userAgent = createUserAgent()
        const { url } = await userAgent.visit(page)
        const body = new URLSearchParams({ person: 'administrator' })
        void fetch((await userAgent.visit(url, { method: 'POST', body })).url)
      },
    })
    assert.equal(logged.code, 0, logged.stderr)
    const logins = join(config, 'agent-console/logins')
    const path = join(logins, 'default.json')
    const login = JSON.parse(readFileSync(path, 'utf8')) as { refresh_token: string }
    await writeFile(path, JSON.stringify({ ...login, expires_at: 1 }))
    // A process that was killed while it held the lock.
    await mkdir(logins, { recursive: true })
    await writeFile(
      join(logins, 'default.lock'),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), id: 'x' }),
    )

    let refreshes = 0
    const count = (message: unknown) => {
      const { request } = message as { request: IncomingMessage }
      if (request.url === '/token') refreshes += 1
    }
    subscribe('http.server.request.start', count)
    const more = { XDG_CONFIG_HOME: config, AGENT_CONSOLE_TOKEN: '' }
    const results = await Promise.all(
      Array.from({ length: PROCESSES }, () => outcomeOf(start(['whoami', '-o', 'name'], more))),
    )
    unsubscribe('http.server.request.start', count)
    for (const { code, stderr } of results) assert.equal(code, 0, stderr)
    assert.equal(refreshes, 1)
    assert.equal(new Set(results.map(({ stdout }) => stdout)).size, 1)
    assert.deepEqual(await readdir(logins), ['default.json'])

    // A second refresh with the first token would have ended the whole family.
    const renewed = JSON.parse(readFileSync(path, 'utf8')) as { refresh_token: string }
    const response = await fetch(`${issuer.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: renewed.refresh_token },
        ...{ client_id: cliClientId, resource: apiResource },
      }),
    })
    assert.equal(response.status, 200, await response.text())
  })
})

/** The files that `--help` needs: the entry, and what it imports without a condition. */
function loadedAtStart(dist: string): Set<string> {
  const loaded = new Set<string>()
  const visit = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    const code = readFileSync(join(dist, file), 'utf8')
    for (const [, path = ''] of code.matchAll(/(?:from|import)\s*["'`](\.[^"'`]+)["'`]/g)) {
      visit(join(file, '..', path))
    }
  }
  visit('agent-console.js')
  for (const file of globSync('chunks/process-*.js', { cwd: dist })) visit(file)
  return loaded
}
