import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { freePorts, onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { useConsole } from '../../test/support/console.ts'
import { startIssuer } from '../../test/support/issuer/issuer.ts'
import { call, callTool, REVISIONS, textOf } from '../../test/support/mcp.ts'
import { until } from '../../test/support/until.ts'
import { createUserAgent } from '../../test/support/user-agent.ts'
import type { FileLogin } from '../src/session/login-store.ts'
import { type RpcMessage, startBridge } from './support/bridge.ts'
import { useBuiltProgram } from './support/built-program.ts'
import { runCli, useFolder } from './support/cli.ts'

const REQUESTS = 200
/** Of four bytes each: below the limit of a prompt, above the size of the buffer of a pipe. */
const LARGE_CHARACTERS = 60_000

describe('the MCP bridge', async () => {
  const { program, env: built } = await useBuiltProgram()
  const issuer = await startIssuer()
  const running = await useConsole({ issuer })
  const { token } = await running.person()
  const base = { ...built, AGENT_CONSOLE_URL: running.url }
  const env = { ...base, AGENT_CONSOLE_TOKEN: token }
  const createAgent = async (agent: object): Promise<{ id: string }> => {
    const json = { model_name: 'm', ...agent }
    return (await running.request('POST', '/v1/agent-configurations', { token, json })).body
  }

  const startStub = async (listener: RequestListener) => {
    const server = createServer(listener)
    const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
    after(() => stopListening(server))
    return `http://127.0.0.1:${port}`
  }

  /** A folder with the profile of a login that is stored in a file. */
  const logIn = async (config?: string) => {
    const place = config ?? (await useFolder())
    const logged = await runCli(['login', '--insecure-storage'], {
      env: { XDG_CONFIG_HOME: place, AGENT_CONSOLE_URL: running.url, DISPLAY: ':0' },
      start: async (_, [page = '']) => {
        const userAgent = createUserAgent()
        const { url } = await userAgent.visit(page)
        const body = new URLSearchParams({ person: 'administrator' })
        void fetch((await userAgent.visit(url, { method: 'POST', body })).url)
      },
    })
    assert.equal(logged.code, 0, logged.stderr)
    const path = join(place, 'agent-console/logins/default.json')
    const read = async () => JSON.parse(await readFile(path, 'utf8')) as FileLogin
    return {
      ...{ config: place, read },
      change: async (change: Partial<FileLogin>) => {
        await writeFile(path, JSON.stringify({ ...(await read()), ...change }))
      },
    }
  }

  for (const revision of REVISIONS) {
    it(`serves the official client in revision ${revision}`, async () => {
      const questions: string[] = []
      const client = new Client(
        { name: 'a host', version: '1.0.0' },
        {
          capabilities: { elicitation: { form: {} } },
          ...(revision === '2026-07-28' && { versionNegotiation: { mode: 'auto' as const } }),
        },
      )
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message)
        return { action: 'accept', content: { confirm: true } }
      })
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }),
      )
      after(() => client.close())
      assert.equal(client.getNegotiatedProtocolVersion(), revision)
      assert.equal((await client.listTools()).tools.length, 8)

      // U+2028 ends a line for some readers of lines.
      const name = `Zürich \u2028 ${revision}`
      const { id } = await createAgent({ agent_name: name })
      const found = await callTool<{ agents: { id: string }[] }>(client, 'search_agents', { q: name })
      assert.deepEqual(
        found.agents.map((agent) => agent.id),
        [id],
      )
      const { contents } = await client.readResource({ uri: `agent://${id}` })
      assert.match(JSON.stringify(contents), /Zürich/)
      // A name that a header cannot hold.
      await assert.rejects(client.readResource({ uri: 'agent://zürich' }), /agent:\/\//)

      const changed = await call(client, 'update_agent', { id, revision: 1, set: { purpose: 'Changed' } })
      assert.notEqual(changed.isError, true, textOf(changed))
      assert.equal(questions.length, revision === '2026-07-28' ? 1 : 0)
      const audit = await running.request('GET', `/v1/audit-events?agent_id=${id}&action=agent_updated`, {
        token,
      })
      assert.equal(audit.body.results[0].via, 'mcp')
    })
  }

  it('passes large messages in both directions, and the refusal of one that is too large', async () => {
    const bridge = startBridge(program, env)
    const prompt = `${'😀'.repeat(LARGE_CHARACTERS)}\u2028\\n`
    const args = {
      idempotency_key: 'large',
      agent: { agent_name: 'Large', model_name: 'm', agent_system_prompt: prompt },
    }
    const { result } = await bridge.call('create_agent', args)
    const { id } = contentOf(result, 'structuredContent') as { id: string }
    const read = await bridge.request('resources/read', { uri: `agent://${id}` })
    const [content] = contentOf(read.result, 'contents') as { text: string }[]
    assert.equal(
      (JSON.parse(content?.text ?? '') as { agent_system_prompt: string }).agent_system_prompt,
      prompt,
    )

    const { error } = await bridge.call('search_agents', { q: 'x'.repeat(1_100_000) })
    assert.equal(error?.data?.status, 413)
    assert.equal((await bridge.call('search_agents')).error, undefined)
  })

  it(`answers ${REQUESTS} requests that a host sends at once, each with its own id`, async () => {
    const bridge = startBridge(program, env)
    const responses = await Promise.all(
      Array.from({ length: REQUESTS }, (_, n) => bridge.request('tools/list', {}, `request ${n}`)),
    )
    assert.ok(responses.every(({ result }) => result?.['tools'] !== undefined))
    assert.equal(bridge.messages.length, REQUESTS)
    // The end of the input ends it, after the last response.
    const last = bridge.request('tools/list')
    bridge.child.stdin.end()
    assert.ok((await last).result)
    assert.deepEqual(await bridge.closed, [0, null])
    assert.equal(bridge.output.stderr, '')
  })

  it('refreshes the login while it runs', async () => {
    const { config, read, change } = await logIn()
    const bridge = startBridge(program, { ...base, XDG_CONFIG_HOME: config })
    assert.ok((await bridge.call('search_agents')).result)
    const before = await read()
    await change({ expires_at: 1 })
    const responses = await Promise.all(Array.from({ length: 5 }, () => bridge.call('search_agents')))
    for (const { result, error } of responses) assert.ok(result, error?.message)
    assert.notEqual((await read()).refresh_token, before.refresh_token)
  })

  it('says what to do without a login or with one that has ended, and works after the login', async () => {
    const config = await useFolder()
    const bridge = startBridge(program, { ...base, XDG_CONFIG_HOME: config })
    const none = await bridge.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    assert.match(none.error?.message ?? '', /There is no login for .*\. Run: agent-console login --url /)
    const { change } = await logIn(config)
    assert.ok((await bridge.call('search_agents')).result)

    await change({ expires_at: 1, refresh_token: 'unknown' })
    const ended = await bridge.call('search_agents')
    assert.equal(ended.error?.code, -32_000)
    assert.match(ended.error?.message ?? '', /has ended\. .*Run: agent-console login --insecure-storage$/)
    await logIn(config)
    assert.ok((await bridge.call('search_agents')).result)

    // Not expired for the clock of this machine, but for the console.
    const expired = await issuer.sign({ iss: issuer.url, aud: issuer.audience, sub: 'u', exp: 1 })
    await change({ access_token: expired })
    const refused = await bridge.call('search_agents')
    assert.equal(refused.error?.data?.status, 401)
    assert.match(
      refused.error?.message ?? '',
      /does not accept the token\. Run: agent-console login --insecure-storage$/,
    )
    bridge.notify('notifications/initialized')
    await until('it says so', () => bridge.output.stderr.includes('Run: agent-console login'))
    for (const text of Object.values(bridge.output)) assert.ok(!text.includes(expired))
  })

  it('reads the profile again after the issuer or the console has failed it', async () => {
    const { config, change } = await logIn()
    const path = join(config, 'agent-console/config.json')
    const profiles = await readFile(path, 'utf8')
    const bridge = startBridge(program, { ...built, XDG_CONFIG_HOME: config })
    const [free] = await freePorts(1)
    await writeFile(path, profiles.replaceAll(issuer.url, `http://127.0.0.1:${free}`))
    await change({ expires_at: 1 })
    const failed = await bridge.call('search_agents')
    assert.match(failed.error?.message ?? '', /The issuer .* did not answer as expected: .*ECONNREFUSED/)

    const url = await startStub((_, response) => response.writeHead(401).end())
    await writeFile(path, profiles.replaceAll(running.url, url))
    await change({ url, expires_at: Math.ceil(Date.now() / 1_000) + 600 })
    assert.equal((await bridge.call('search_agents')).error?.data?.status, 401)

    await writeFile(path, profiles)
    await change({ url: running.url })
    const { result, error } = await bridge.call('search_agents')
    assert.ok(result, error?.message)
  })

  it('says which scopes are missing', async () => {
    const reader = await running.person({ scope: 'agent:read' })
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_TOKEN: reader.token })
    const { error } = await bridge.call('create_agent', { idempotency_key: 'k', agent: {} })
    assert.equal(error?.data?.status, 403)
    assert.match(error?.message ?? '', /The token needs the scopes .*agent:write/)
  })

  it('prints nothing but messages, whatever answers at the address', async () => {
    const answers: [status: number, type: string, body: string][] = [
      [200, 'text/html', '<h1>Welcome</h1>'],
      [502, 'text/html', '<h1>Bad gateway</h1>'],
      [200, 'application/json', '{"hello": "world"}'],
      [200, 'application/json', '{"jsonrpc": "2.0", "id": 999, "result": {}}'],
      [200, 'text/event-stream', ': nothing\n\n'],
      [202, 'text/plain', ''],
    ]
    let current = 0
    const url = await startStub((_, response) => {
      const [status, type, body] = answers[current] ?? [500, '', '']
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_URL: url })
    for (; current < answers.length; current++) {
      const { error } = await bridge.request('tools/list')
      assert.equal(error?.data?.status, answers[current]?.[0])
    }
    bridge.write('not JSON')
    bridge.write('')
    bridge.write('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')
    await until('both are refused', () => bridge.messages.length === answers.length + 2)
    assert.deepEqual(
      bridge.messages.slice(-2).map(({ id, error }) => [id, error?.code]),
      [
        [null, -32_700],
        [null, -32_600],
      ],
    )
  })

  it('keeps the messages of a stream, and gives an error without an id the id of the request', async () => {
    const stream =
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\nevent: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":"a","result":{"n":12345678901234567890}}\r\n\r\n'
    let isStream = true
    const url = await startStub((_, response) => {
      if (isStream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream)
      else
        response
          .writeHead(403)
          .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Wrong host"}}')
    })
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_URL: url })
    await bridge.request('tools/call', {}, 'a')
    assert.equal(bridge.messages.length, 2)
    assert.match(bridge.output.stdout, /12345678901234567890/)
    isStream = false
    assert.equal((await bridge.request('tools/list')).error?.message, 'Wrong host')
  })

  it('sends the headers that the revision of a message demands', async () => {
    const received: IncomingHttpHeaders[] = []
    const url = await startStub((request, response) => {
      received.push(request.headers)
      request.resume()
      const result = { protocolVersion: '2025-06-18' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 'a', result }))
    })
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_URL: url })
    await bridge.request('initialize', { protocolVersion: '2025-06-18' }, 'a')
    await bridge.request('tools/call', { name: 'get_agent' }, 'a')
    const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }
    await bridge.request('tools/call', { name: 'get_agent', ...meta }, 'a')
    await bridge.request('prompts/get', { name: ' ✓\n', ...meta }, 'a')
    await bridge.request('resources/read', { uri: '=?base64?x?=', name: 'other', ...meta }, 'a')
    await bridge.request('tools/list', { name: 'none', ...meta }, 'a')
    const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
    assert.deepEqual(
      received.map((headers) => ['protocol-version', 'method', 'name'].map((name) => headers[`mcp-${name}`])),
      [
        [undefined, undefined, undefined],
        ['2025-06-18', undefined, undefined],
        ['2026-07-28', 'tools/call', 'get_agent'],
        ['2026-07-28', 'prompts/get', base64(' ✓\n')],
        ['2026-07-28', 'resources/read', base64('=?base64?x?=')],
        ['2026-07-28', 'tools/list', undefined],
      ],
    )
  })

  it('cancels a request at the console when the host does', async () => {
    let requests = 0
    let disconnects = 0
    const url = await startStub((_, response) => {
      requests += 1
      response.once('close', () => (disconnects += 1))
    })
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_URL: url })
    void bridge.request('tools/list', {}, 'slow').catch(() => undefined)
    await until('the console has the request', () => requests === 1)
    bridge.notify('notifications/cancelled', { requestId: 'another' })
    bridge.notify('notifications/cancelled', { requestId: 'slow' })
    await until('it disconnects', () => disconnects === 1)
    bridge.child.stdin.end()
    assert.deepEqual(await bridge.closed, [0, null])
    assert.deepEqual(bridge.output, { stdout: '', stderr: '' })
  })

  it('ends at once with SIGTERM, also while requests run', async () => {
    let requests = 0
    const url = await startStub(() => void (requests += 1))
    const bridge = startBridge(program, { ...env, AGENT_CONSOLE_URL: url })
    for (const id of [1, 2, 3]) void bridge.request('tools/list', {}, id).catch(() => undefined)
    await until('they run', () => requests === 3)
    bridge.child.kill('SIGTERM')
    assert.deepEqual(await bridge.closed, [0, null])
    assert.deepEqual(bridge.output, { stdout: '', stderr: '' })
  })

  it('says that the console cannot be reached, or takes too long', async () => {
    const silent = await startStub(() => undefined)
    const slow = startBridge(program, { ...env, AGENT_CONSOLE_URL: silent }, ['--timeout', '200ms'])
    assert.match((await slow.request('tools/list')).error?.message ?? '', /did not answer in time/)
    const [free] = await freePorts(1)
    const none = startBridge(program, { ...env, AGENT_CONSOLE_URL: `http://127.0.0.1:${free}` })
    const { error } = await none.request('tools/list')
    assert.match(error?.message ?? '', /cannot be reached: ECONNREFUSED\. Check the address of the console/)
  })
})

function contentOf(result: RpcMessage['result'], name: string): unknown {
  assert.ok(result && name in result, JSON.stringify(result))
  return result[name]
}
