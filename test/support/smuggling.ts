import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { it } from 'node:test'

/** An operation behind the console, and what the service behind it heard. */
export interface SmugglingTarget {
  url: () => string
  token: () => string
  /** A GET whose path ends with its only parameter, and the path the service is then asked for. */
  get: { prefix: string; id: string; target: string }
  /** A POST with a body. */
  post: { path: string; target: string }
  /** The names of all headers the service hears of a plain GET. */
  always: string[]
  /** Those of the caller's below that it hears as well. */
  passed: string[]
  host: () => string
  received: () => { line: string; rawHeaders: string[] }[]
  lastBody: () => Buffer
  clear: () => void
}

const TRACE = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Whatever a caller writes, a service hears one well-formed request: the one the console has checked. */
export function itCannotBeSmuggledPast(target: SmugglingTarget): void {
  const { get, post } = target

  /** Sends a request as these very bytes and answers the status. */
  const raw = (lines: string[], body = ''): Promise<string> => {
    const { hostname, port } = new URL(target.url())
    const head = [...lines, `authorization: Bearer ${target.token()}`, 'connection: close', '', '']
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(head.join('\r\n') + body))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      socket.on('close', () => resolve(text.split(' ', 2)[1] ?? 'none')).on('error', reject)
    })
  }
  const received = () =>
    target.received().map(({ line, rawHeaders }) => ({
      line,
      names: rawHeaders
        .filter((_, i) => i % 2 === 0)
        .map((name) => name.toLowerCase())
        .toSorted(),
      rawHeaders,
    }))
  const getWith = (...headers: string[]) =>
    raw([`GET ${get.prefix}${get.id} HTTP/1.1`, 'host: console', ...headers])

  it('is exactly the allow-listed headers, and the exact path', async () => {
    const status = await getWith(
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
    assert.equal(only?.line, `GET ${get.target}`)
    assert.deepEqual(only?.names, [...new Set([...target.always, ...target.passed])].toSorted())
    const host = only?.rawHeaders[only.rawHeaders.findIndex((name) => name.toLowerCase() === 'host') + 1]
    assert.equal(host, target.host())
  })

  it('is not what the caller lists in Connection', async () => {
    await getWith(TRACE)
    assert.ok(received()[0]?.names.includes('traceparent'))
    target.clear()
    // Node joins both Connection headers into one list.
    await getWith('connection: traceparent, authorization, x-request-id, close', TRACE)
    assert.deepEqual(received()[0]?.names, target.always)
  })

  it('has one length, whatever the caller framed', async () => {
    const posted = (...headers: string[]) => [`POST ${post.path} HTTP/1.1`, 'host: console', ...headers]
    for (const [lines, body] of [
      [posted('content-length: 2', 'content-length: 3'), '{}'],
      [posted('content-length: 2', 'transfer-encoding: chunked'), '0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n'],
      [posted('transfer-encoding: chunked, identity'), '2\r\n{}\r\n0\r\n\r\n'],
      [posted('transfer-encoding: xchunked'), '2\r\n{}\r\n0\r\n\r\n'],
      [posted('content-length: +2'), '{}'],
      [posted('content-length: 2, 2'), '{}'],
    ] as const) {
      const status = await raw([...lines], body)
      assert.match(status, /^4\d\d$/, lines.join(' '))
    }
    assert.deepEqual(received(), [])

    assert.equal(await raw(posted('transfer-encoding: chunked'), '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'), '200')
    const [only, ...others] = received()
    assert.deepEqual(others, [])
    assert.equal(only?.line, `POST ${post.target}`)
    const framing = only?.names.filter((name) => /^(?:content-length|transfer-encoding)$/.test(name))
    assert.equal(framing?.length, 1)
    const unframed = only?.names.filter((name) => !framing?.includes(name) && name !== 'content-type')
    assert.deepEqual(unframed, target.always)
    assert.equal(target.lastBody().toString(), '{}')
  })

  it('is never a path of the caller’s making', async () => {
    const paths = [
      ...['..%2f..%2fadmin', '%2e%2e/%2e%2e/admin', '../../admin', '/evil.example'].map(
        (t) => get.prefix + t,
      ),
      ...['%2fadmin', '%00', '%0d%0ax-injected:%201', '/admin', '%5c..%5cadmin'].map(
        (tail) => get.prefix + get.id + tail,
      ),
      `${post.path}/../admin`,
      `${post.path}/%2e%2e/admin`,
      `//evil.example${post.path}`,
      `http://evil.example${get.prefix}..%2fadmin`,
    ]
    for (const path of paths) {
      const status = await raw([`GET ${path} HTTP/1.1`, 'host: console'])
      assert.match(status, /^4\d\d$/, path)
    }
    assert.deepEqual(received(), [])
    assert.equal(
      await raw([`GET http://evil.example${get.prefix}${get.id} HTTP/1.1`, 'host: console']),
      '200',
    )
    assert.equal(received()[0]?.line, `GET ${get.target}`)
  })

  it('has no header that breaks out of its line', async () => {
    for (const header of [
      'x-request-id: a\rb: c',
      'x-request-id: a\nb: c',
      'traceparent: a\0b',
      'traceparent: a\u0001b',
      'a b: c',
      'x: \r\n y',
    ]) {
      await getWith(header)
    }
    for (const { names } of received()) {
      assert.deepEqual(
        names.filter((name) => !target.always.includes(name) && name !== 'traceparent'),
        [],
      )
    }
    target.clear()
    assert.equal(await getWith('x-request-id: a b'), '200')
    const { rawHeaders = [] } = received()[0] ?? {}
    const id = rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'x-request-id') + 1]
    assert.match(id ?? '', /^[0-9a-f-]{36}$/)
  })
}
