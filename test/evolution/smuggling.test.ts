import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Person, startConsole, type TestConsole } from '../support/console.ts'

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

/** All that the upstream may ever hear, beside the headers of the request's own that are on the list. */
const ALWAYS = [
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'host',
  'user-agent',
  'x-request-id',
]
const WITH_BODY = [...ALWAYS, 'content-length', 'content-type'].toSorted()

describe('what the upstream receives', () => {
  let running: TestConsole
  let person: Person

  before(async () => {
    running = await startConsole()
    person = await running.person()
  })
  beforeEach(() => running.evolution.clearRequests())
  after(() => running.close())

  /** Sends a request as these very bytes and answers the status. */
  const raw = (lines: string[], body = ''): Promise<string> => {
    const { hostname, port } = new URL(running.url)
    const head = [...lines, `authorization: Bearer ${person.token}`, 'connection: close', '', '']
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(head.join('\r\n') + body))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      socket.on('close', () => resolve(text.split(' ', 2)[1] ?? 'none')).on('error', reject)
    })
  }
  const received = () =>
    running.evolution.requests().map(({ method, target, rawHeaders }) => ({
      line: `${method} ${target}`,
      names: rawHeaders
        .filter((_, i) => i % 2 === 0)
        .map((name) => name.toLowerCase())
        .toSorted(),
      rawHeaders,
    }))
  const get = (...headers: string[]) =>
    raw([`GET /v1/evolution/status/${ID} HTTP/1.1`, 'host: console', ...headers])

  it('is exactly the allow-listed headers, and the exact path', async () => {
    const status = await get(
      'cookie: a=b',
      'forwarded: for=1.2.3.4',
      'x-forwarded-for: 1.2.3.4',
      'x-forwarded-host: evil',
      'x-forwarded-proto: https',
      'x-real-ip: 1.2.3.4',
      'x-http-method-override: DELETE',
      'x-original-url: /admin',
      'proxy-authorization: Basic x',
      'te: trailers',
      'upgrade: h2c',
      'accept: text/html',
      'accept-encoding: gzip, br',
      'user-agent: evil',
      'range: bytes=0-1',
      'if-none-match: *',
    )
    assert.equal(status, '200')
    const [only, ...others] = received()
    assert.deepEqual(others, [])
    assert.equal(only?.line, `GET /evolution/status/${ID}`)
    assert.deepEqual(only?.names, ALWAYS)
    const host = only?.rawHeaders[only.rawHeaders.findIndex((name) => name.toLowerCase() === 'host') + 1]
    assert.equal(host, new URL(running.evolution.url).host)
  })

  it('is not what the caller lists in Connection', async () => {
    const trace = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await get(trace)
    assert.ok(received()[0]?.names.includes('traceparent'))
    running.evolution.clearRequests()
    // Node joins both Connection headers into one list.
    await get('connection: traceparent, authorization, x-request-id, close', trace)
    assert.deepEqual(received()[0]?.names, ALWAYS)
  })

  it('has one length, whatever the caller framed', async () => {
    const post = (...headers: string[]) => ['POST /v1/genomes/ HTTP/1.1', 'host: console', ...headers]
    for (const [lines, body] of [
      [post('content-length: 2', 'content-length: 3'), '{}'],
      [post('content-length: 2', 'transfer-encoding: chunked'), '0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n'],
      [post('transfer-encoding: chunked, identity'), '2\r\n{}\r\n0\r\n\r\n'],
      [post('transfer-encoding: xchunked'), '2\r\n{}\r\n0\r\n\r\n'],
      [post('content-length: +2'), '{}'],
      [post('content-length: 2, 2'), '{}'],
    ] as const) {
      const status = await raw([...lines], body)
      assert.match(status, /^4\d\d$/, lines.join(' '))
    }
    assert.deepEqual(received(), [])

    assert.equal(await raw(post('transfer-encoding: chunked'), '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'), '200')
    const [only] = received()
    assert.equal(only?.line, 'POST /v1/genomes')
    assert.deepEqual(only?.names, WITH_BODY)
    assert.equal(running.evolution.requests()[0]?.body.toString(), '{}')
  })

  it('is never a path of the caller’s making', async () => {
    const paths = [
      '/v1/evolution/status/..%2f..%2fadmin',
      '/v1/evolution/status/%2e%2e/%2e%2e/admin',
      '/v1/evolution/status/../../admin',
      '/v1/evolution/status//evil.example',
      `/v1/evolution/status/${ID}%2fadmin`,
      `/v1/evolution/status/${ID}%00`,
      `/v1/evolution/status/${ID}%0d%0ax-injected:%201`,
      `/v1/evolution/status/${ID};admin`,
      `/v1/evolution/status/${ID}/admin`,
      `/v1/evolution/status/%252e%252e`,
      '/v1/genomes/../admin',
      '/v1/genomes/%2e%2e/admin',
      '//evil.example/v1/genomes',
      `http://evil.example/v1/evolution/status/..%2fadmin`,
    ]
    for (const path of paths) {
      const status = await raw([`GET ${path} HTTP/1.1`, 'host: console'])
      assert.match(status, /^4\d\d$/, path)
    }
    assert.deepEqual(received(), [])
    assert.equal(
      await raw([`GET /v1/evolution/status/${ID}?a=/admin&x=%0d%0a HTTP/1.1`, 'host: console']),
      '200',
    )
    assert.equal(received()[0]?.line, `GET /evolution/status/${ID}`)
  })

  it('has no header that breaks out of its line', async () => {
    for (const header of [
      'x-request-id: a\rb: c',
      'x-request-id: a\nb: c',
      'traceparent: a\0b',
      'a b: c',
      'x: \r\n y',
    ]) {
      await get(header)
    }
    for (const { names } of received()) {
      assert.deepEqual(
        names.filter((name) => !ALWAYS.includes(name) && name !== 'traceparent'),
        [],
      )
    }
    const reply = await running.request('GET', `/v1/evolution/status/${ID}`, {
      token: person.token,
      headers: { 'x-request-id': 'a b' },
    })
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })
})
