import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { Client } from 'pg'
import { AgentUpdate } from '../../../src/agent/schema.ts'
import { createAgent, getAgent } from '../../support/agents.ts'
import { junk, likely } from '../../support/arbitrary-body.ts'
import { useConsole } from '../../support/console.ts'
import { startIssuer } from '../../support/issuer/issuer.ts'
import { call, connectClient, rpc, TOOL_CALLS, textOf } from '../../support/mcp.ts'
import { sized } from '../../support/sized.ts'

const POOL_SIZE = 8
const CALLS = sized(50, 2_000)
const SEED = 20_261_116

describe('the MCP endpoint', async () => {
  const issuer = await startIssuer()
  const environment = { DATABASE_POOL_SIZE: String(POOL_SIZE), DATABASE_MAX_WAIT_MS: '2000' }
  const running = await useConsole({ issuer, environment })
  const person = await running.person()
  const { token } = person

  it('names its issuer and scopes, and the place of this metadata to clients without a valid token', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp'
    const { body } = await running.request('GET', path)
    assert.deepEqual(body, {
      resource: `${running.url}/mcp`,
      authorization_servers: [running.issuer.url],
      scopes_supported: ['agent:read', 'agent:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'Agent Console for MCP clients',
    })
    const challenge = `Bearer resource_metadata="${running.url}${path}"`
    const none = await rpc(running, 'tools/list')
    assert.equal(none.status, 401)
    assert.equal(none.headers.get('www-authenticate'), `${challenge}, scope="agent:read"`)
    const invalid = await rpc(running, 'tools/list', {}, { token: 'invalid' })
    assert.equal(invalid.status, 401)
    const error = 'error="invalid_token", scope="agent:read"'
    assert.equal(invalid.headers.get('www-authenticate'), `${challenge}, ${error}`)
    // Not in the query, where logs would show it.
    const inQuery = await running.request('POST', `/mcp?access_token=${token}`, { json: {} })
    assert.equal(inQuery.status, 401)
  })

  it('accepts a token that the issuer gave for the URL of the endpoint', async () => {
    issuer.registerConsole(running.url)
    const grant = async (resource: string) => {
      const response = await fetch(`${issuer.url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${person.user}.${person.team}:development`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'agent:read' }),
      })
      return (await response.json()) as { access_token?: string; error?: string }
    }
    const granted = await grant(`${running.url}/mcp`)
    const reply = await rpc(running, 'tools/list', {}, { token: granted.access_token ?? '' })
    assert.equal(reply.status, 200, JSON.stringify(granted))
    assert.equal((await grant('https://elsewhere.example/mcp')).error, 'invalid_target')
  })

  it('describes itself, and keeps no session', async () => {
    const { body, headers } = await rpc(running, 'server/discover', {}, { token })
    assert.equal(body.result?.resultType, 'complete')
    const { supportedVersions, capabilities } = body.result as Record<string, unknown>
    assert.deepEqual(supportedVersions, ['2026-07-28'])
    assert.deepEqual(capabilities, {
      ...{
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
    })
    assert.equal(headers.get('mcp-session-id'), null)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  it('refuses headers that differ from the message, unknown versions and unknown methods', async () => {
    const mismatch = await rpc(running, 'tools/list', {}, { token, headers: { 'mcp-method': 'tools/call' } })
    assert.deepEqual([mismatch.status, mismatch.body.error?.code], [400, -32_020])
    const { id } = await createAgent(running, person)
    const args = { name: 'update_agent', arguments: TOOL_CALLS['update_agent']?.args(id) }
    const name = await rpc(running, 'tools/call', args, { token, headers: { 'mcp-name': 'get_agent' } })
    assert.deepEqual([name.status, name.body.error?.code], [400, -32_020])
    assert.equal((await getAgent(running, person, id)).headers.get('etag'), '"1"')
    const version = await rpc(running, 'tools/list', {}, { token, version: '2099-01-01' })
    assert.deepEqual([version.status, version.body.error?.code], [400, -32_022])
    assert.match(version.text, /2026-07-28/)
    for (const unknown of ['agents/delete', 'subscriptions/listen', 'completion/complete']) {
      const reply = await rpc(running, unknown, {}, { token })
      assert.deepEqual([reply.status, reply.body.error?.code], [404, -32_601], unknown)
    }
    const tool = await rpc(running, 'tools/call', { name: 'delete_agent', arguments: {} }, { token })
    assert.equal(tool.body.error?.code, -32_602)
  })

  it('says which parameters are not valid, and blames the client', async () => {
    const send = (method: string, params: object) =>
      running.request('POST', '/mcp', {
        token,
        headers: { accept: 'application/json, text/event-stream' },
        json: { jsonrpc: '2.0', id: 1, method, params },
      })
    const begin = { protocolVersion: '2025-11-25', capabilities: 'none', clientInfo: {} }
    const { status, text } = await send('initialize', begin)
    assert.equal(status, 200)
    const { id, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')
    assert.deepEqual([id, error.code], [1, -32_602])
    assert.match(
      error.message,
      /^The parameters are not valid\. params\.capabilities: .*params\.clientInfo\.name: /,
    )
    for (const elicitation of [null, 'form', 7]) {
      const capabilities = { elicitation } as never
      const reply = await rpc(running, 'tools/list', {}, { token, capabilities })
      assert.ok([200, 400].includes(reply.status), reply.text)
    }
  })

  it('refuses what is no message, with an error of JSON-RPC', async () => {
    for (const raw of [
      '',
      '{',
      '[]',
      '7',
      '"x"',
      `${'['.repeat(100)}${']'.repeat(100)}`,
      '{"a":"\\u0000"}',
    ]) {
      const reply = await running.request('POST', '/mcp', { token, raw })
      assert.equal(reply.status, 400, `${raw} ${reply.text}`)
      assert.equal((reply.body as { error: { code: number } }).error.code, -32_700)
    }
    const type = { 'content-type': 'text/plain' }
    assert.equal((await running.request('POST', '/mcp', { token, raw: '{}', headers: type })).status, 400)
    const large = await running.request('POST', '/mcp', { token, raw: 'x'.repeat(1024 * 1024 + 1) })
    assert.equal(large.status, 413)
    for (const method of ['GET', 'DELETE']) {
      const reply = await running.request(method, '/mcp', { token })
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'])
    }
  })

  it('answers at the address of the console only, and to no web page of another origin', async () => {
    const send = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
        const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers }
        const accept = { accept: 'application/json, text/event-stream' }
        const sent = httpRequest(`${running.url}/mcp`, { method: 'POST', headers: { ...accept, ...all } })
        sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
        sent.end(body)
      })
    assert.equal(await send({}), 200)
    assert.equal(await send({ host: 'localhost' }), 200)
    assert.equal(await send({ host: 'attacker.example' }), 403)
    assert.equal(await send({ host: 'attacker.example', origin: 'http://attacker.example' }), 403)
    assert.equal(await send({ origin: 'http://localhost:6274' }), 200)
    for (const origin of [
      'https://attacker.example',
      'null',
      'file://',
      'http://127.0.0.1.attacker.example',
    ]) {
      assert.equal(await send({ origin }), 403, origin)
    }
  })

  it('answers any arguments of a tool, without a failure of the console', async () => {
    const { id } = await createAgent(running, person)
    const members = [
      ...['id', 'revision', 'restore', 'against', 'set', 'clear', 'reason', 'agent', 'idempotency_key'],
      ...['fields', 'limit', 'cursor', 'q', 'statuses', 'min_score', 'sort', 'tags', '__proto__'],
    ]
    const schema: object = AgentUpdate
    const update = likely(schema)
    const value = fc.oneof(junk, update, fc.constantFrom<unknown>(id, 1, 0, 1e300, '', [], ['purpose'], null))
    const args = fc.oneof(junk, fc.dictionary(fc.constantFrom(...members), value))
    const names = fc.constantFrom(...Object.keys(TOOL_CALLS))
    const aimed = fc.tuple(
      fc.constant('update_agent'),
      fc.record({ id: fc.constant(id), revision: fc.constant(1), set: update }),
    )
    const inputs = fc.sample(fc.oneof(fc.tuple(names, args), aimed), { numRuns: CALLS, seed: SEED })
    for (const [name, given] of inputs) {
      const reply = await rpc(running, 'tools/call', { name, arguments: given }, { token })
      assert.ok([200, 400].includes(reply.status), `${name} ${JSON.stringify(given)} ${reply.text}`)
      assert.doesNotMatch(reply.text, /\(internal\)|-32603/, `${name} ${JSON.stringify(given)}`)
    }
  })

  it('says in a sentence that a team has its share', async () => {
    const client = await connectClient(running, token)
    const blocker = new Client({ connectionString: running.database.url })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE agents IN ACCESS EXCLUSIVE MODE')
    // One of them waits for its turn behind the others, which wait for the table.
    const calls = Array.from({ length: POOL_SIZE }, () => call(client, 'get_agent', { id: person.user }))
    const refused = await Promise.race(calls)
    await blocker.end()
    await Promise.all(calls)
    assert.equal(refused.isError, true)
    assert.match(textOf(refused), /its share of requests in progress.*\(too_many_requests\)/)
  })
})
