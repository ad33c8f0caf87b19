import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { createAgent } from '../support/agents.ts'
import { startConsole, useConsole } from '../support/console.ts'

describe('the server', async () => {
  const running = await useConsole()

  it('takes the caller’s request id, gives it back and logs it', async () => {
    const reply = await running.request('GET', '/health/live', { headers: { 'x-request-id': 'trace-7f/1' } })
    assert.equal(reply.headers.get('x-request-id'), 'trace-7f/1')
    const line = running.logLines
      .map((text) => JSON.parse(text))
      .find((entry) => entry.request_id === 'trace-7f/1')
    assert.equal(line?.route, '/health/live')
    assert.equal(line?.status, 200)
  })

  it('makes a request id where there is none that can be used', async () => {
    for (const given of [undefined, '', 'has space', 'x'.repeat(129), 'quote"']) {
      const reply = await running.request('GET', '/nowhere', {
        headers: given === undefined ? {} : { 'x-request-id': given },
      })
      assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    }
  })

  it('answers 404 and 405 in the form of every error, before it asks who is there', async () => {
    const nowhere = await running.request('POST', '/nowhere', { raw: '{broken' })
    assert.equal(nowhere.status, 404)
    assert.deepEqual(nowhere.body, { detail: 'Not Found', code: 'not_found' })
    const method = await running.request('PATCH', '/v1/agent-configurations/x', { raw: '{broken' })
    assert.equal(method.status, 405)
    assert.equal(method.headers.get('allow'), 'GET, HEAD, PUT, DELETE')
    assert.deepEqual(method.body, { detail: 'Method Not Allowed', code: 'method_not_allowed' })
  })

  it('answers what is not HTTP with a 400, and headers without end with a 431', async () => {
    assert.match(await raw(running.url, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"bad_request"/s)
    const endless = `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`
    assert.match(await raw(running.url, endless), /^HTTP\/1\.1 431 .*"code":"headers_too_large"/s)
    assert.match(await raw(running.url, 'GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'), / 400 /)
  })

  it('refuses a request with two Host headers: a proxy in front may have read the other one', async () => {
    const twice = 'GET /health/live HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n'
    assert.match(await raw(running.url, twice), /^HTTP\/1\.1 400 .*"code":"bad_request"/s)
  })

  it('logs neither bodies nor tokens nor queries', async () => {
    const person = await running.person()
    await createAgent(running, person, { agent_name: 'canary-name', api_key: 'canary-key' })
    await running.request('GET', '/v1/agent-configurations/x?canary=canary-query', { token: person.token })
    const log = running.logLines.join('')
    assert.ok(log.includes(person.team))
    assert.ok(!log.includes('canary'))
    assert.ok(!log.includes(person.token.slice(-40)))
  })

  it('refuses to start with a route that does not say who may call it', async () => {
    await assert.rejects(
      startConsole({ extend: (app) => void app.get('/open', async () => 'open') }),
      /Routes without a permission: \/open/,
    )
  })
})

/** Sends bytes as they are and answers all that comes back. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
    socket.on('close', () => resolve(text)).on('error', reject)
  })
}
