import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Behind } from '../../support/behind.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { until } from '../../support/until.ts'

const ORIGIN_HEADERS = [
  ...['access-control-allow-origin', 'access-control-allow-credentials', 'access-control-expose-headers'],
  ...['alt-svc', 'clear-site-data', 'content-security-policy', 'content-security-policy-report-only'],
  ...['cross-origin-embedder-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'],
  ...['document-policy', 'expect-ct', 'nel', 'origin-agent-cluster', 'permissions-policy', 'public-key-pins'],
  ...['referrer-policy', 'refresh', 'report-to', 'reporting-endpoints', 'sec-websocket-accept'],
  ...['service-worker-allowed', 'set-cookie', 'strict-transport-security', 'x-frame-options'],
  ...['x-permitted-cross-domain-policies', 'proxy-authenticate', 'via'],
]
const IDENTITY_HEADERS = [
  ...['x-auth-request-user', 'x-auth-request-email', 'x-client-cert', 'x-ssl-client-s-dn', 'ssl-client-cert'],
  ...['true-client-ip', 'x-real-ip', 'x-forwarded-user', 'x-forwarded-for', 'forwarded', 'cf-connecting-ip'],
  ...['x-remote-user', 'remote-user', 'x-user', 'x-user-id', 'x-authenticated-user', 'cookie'],
  ...['x-goog-authenticated-user-email', 'x-ms-client-principal', 'x-ms-client-principal-id'],
  ...['x-amzn-oidc-identity', 'x-amzn-oidc-data', 'proxy-authorization', 'sec-purpose'],
]

describe('a mounted operation', async () => {
  const mounted = await useMounted({
    basePath: '/base',
    operations: [
      operation({
        requestHeaders: ['x-tenant', 'cookie', 'x-forwarded-for'],
        responseHeaders: ['x-total', 'set-cookie'],
      }),
      operation({ method: 'PUT' }),
      operation({ path: '/v1/things/', operationId: 'list' }),
      operation({ path: '/v1/things/{id}/file', redirects: true }),
      operation({ path: '/v1/things/{id}/options', method: 'OPTIONS' }),
    ],
  })
  const behind = mounted.behind['things'] as Behind
  const person = await mounted.running.person({ scope: '' })

  beforeEach(() => {
    behind.asked.length = 0
    mounted.running.logLines.length = 0
    behind.behave((_request, response) => response.setHeader('content-type', 'application/json').end('{}'))
  })

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    mounted.running.request(method, path, { token: person.token, headers })
  const answerWith = (status: number, headers: Record<string, string | string[]>, body = '') =>
    behind.behave((_request, response) => response.writeHead(status, headers).end(Buffer.from(body)))

  it('needs a valid token and no permission; the service gets that token', async () => {
    const reply = await ask('/v1/things/7')
    assert.equal(reply.status, 200)
    const { rawHeaders = [] } = behind.asked[0] ?? {}
    assert.equal(rawHeaders[rawHeaders.indexOf('authorization') + 1], `Bearer ${person.token}`)
    assert.equal((await mounted.running.request('GET', '/v1/things/7')).status, 401)
    assert.equal(behind.asked.length, 1)
  })

  it('is asked for under the base URL, as it is declared, with the query as it came', async () => {
    for (const [path, line] of [
      ['/v1/things/7?a=1&a=%2F&b', 'GET /base/v1/things/7?a=1&a=%2F&b'],
      ['/v1/things/7/?', 'GET /base/v1/things/7?'],
      ['/v1/things?x', 'GET /base/v1/things/?x'],
      ['/v1/things/a%2Bb%20c', 'GET /base/v1/things/a%2Bb%20c'],
    ] as const) {
      behind.asked.length = 0
      assert.equal((await ask(path)).status, 200)
      assert.equal(behind.asked[0]?.line, line)
    }
  })

  it('is not there where nobody declared it, and the service never hears of it', async () => {
    for (const path of [
      '/v1/things/7/other',
      '/v1/other',
      '/v1',
      '/v1/things/7/file/x',
      '/base/v1/things/7',
    ]) {
      const reply = await mounted.running.request('GET', path)
      assert.deepEqual([reply.status, reply.body], [404, { detail: 'Not Found', code: 'not_found' }])
    }
    const other = await mounted.running.request('DELETE', '/v1/things/7', { raw: '{broken' })
    assert.equal(other.status, 405)
    assert.equal(other.headers.get('allow'), 'GET, HEAD, PUT')
    assert.deepEqual(other.body, { detail: 'Method Not Allowed', code: 'method_not_allowed' })
    assert.equal((await ask('/v1/things/7/options')).headers.get('allow'), 'OPTIONS')
    assert.deepEqual(behind.asked, [])
  })

  it('leaves the console’s own paths alone', async () => {
    await mounted.mount([
      operation({ path: '/health/live' }),
      operation({ path: '/v1/agent-configurations/{id}' }),
    ])
    assert.equal((await mounted.running.request('GET', '/health/live')).text, '{"status":"live"}')
    assert.equal((await ask('/v1/agent-configurations/7')).status, 403)
    assert.deepEqual(behind.asked, [])
    await mounted.mount([operation(), operation({ path: '/v1/things/{id}/file', redirects: true })])
  })

  it('answers HEAD for a declared GET', async () => {
    behind.behave(({ method }, response) =>
      response.setHeader('content-length', 2).end(method === 'HEAD' ? undefined : '{}'),
    )
    const reply = await ask('/v1/things/7', {}, 'HEAD')
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-length'), '2')
    assert.equal(behind.asked[0]?.line, 'HEAD /base/v1/things/7')
  })

  it('passes the headers on the list and those it declares, and never what is not for it', async () => {
    await mounted.mount([
      operation({
        requestHeaders: ['x-tenant', 'cookie', 'x-forwarded-for'],
        responseHeaders: ['x-total', 'set-cookie'],
      }),
    ])
    answerWith(200, {
      ...{
        'content-type': 'text/csv',
        'content-disposition': 'attachment; filename="a é.csv"',
        'x-total': '7',
      },
      ...{ 'set-cookie': ['a=b', 'c=d'], server: 'secret', 'x-internal': 'secret', 'x-request-id': 'theirs' },
      ...{ vary: ['accept', 'accept-language'], connection: 'etag', etag: '"1"', 'last-modified': 'then' },
    })
    const reply = await ask('/v1/things/7', {
      ...{
        accept: 'text/csv',
        range: 'bytes=0-1',
        'if-none-match': '"1"',
        'last-event-id': '9',
        'x-tenant': 't',
      },
      ...{ cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', 'x-other': 'x', 'x-request-id': 'ours' },
    })
    const { rawHeaders = [] } = behind.asked[0] ?? {}
    const sent = Object.fromEntries(
      rawHeaders.flatMap((name, i) => (i % 2 ? [] : [[name, rawHeaders[i + 1]]])),
    )
    const { authorization: _, host: __, ...named } = sent
    assert.deepEqual(named, {
      accept: 'text/csv',
      'accept-encoding': sent['accept-encoding'],
      'accept-language': '*',
      connection: 'keep-alive',
      'console-team': person.team,
      'if-none-match': '"1"',
      'last-event-id': '9',
      range: 'bytes=0-1',
      'user-agent': 'agent-console',
      'x-request-id': 'ours',
      'x-tenant': 't',
    })
    const {
      date: ___,
      'keep-alive': ____,
      connection: _____,
      ...received
    } = Object.fromEntries(reply.headers)
    assert.deepEqual(received, {
      'content-disposition': 'attachment; filename="a é.csv"',
      'content-type': 'text/csv',
      'last-modified': 'then',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'transfer-encoding': 'chunked',
      vary: 'accept, accept-language',
      'x-request-id': 'ours',
      'x-total': '7',
      'content-security-policy': 'sandbox',
    })
  })

  it('never passes headers that act on the whole origin or carry identity, whatever it declares', async () => {
    await mounted.mount([operation({ requestHeaders: IDENTITY_HEADERS, responseHeaders: ORIGIN_HEADERS })])
    answerWith(200, Object.fromEntries(ORIGIN_HEADERS.map((name) => [name, 'theirs'])), '{}')
    const sent = Object.fromEntries(IDENTITY_HEADERS.map((name) => [name, 'forged']))
    const reply = await ask('/v1/things/7', sent)
    assert.equal(reply.status, 200)
    const { rawHeaders = [] } = behind.asked[0] ?? {}
    assert.deepEqual(
      rawHeaders.filter((name) => IDENTITY_HEADERS.includes(name.toLowerCase())),
      [],
    )
    assert.deepEqual(
      ORIGIN_HEADERS.filter((name) => reply.headers.get(name)?.includes('theirs')),
      [],
    )
  })

  it('passes no challenge that makes a client ask for a password or get its tokens elsewhere', async () => {
    await mounted.mount([operation()])
    for (const [given, expected] of [
      ['Bearer error="invalid_token"', 'Bearer error="invalid_token"'],
      ['Basic realm="console"', 'Bearer'],
      ['Bearer resource_metadata="https://evil.example/metadata"', 'Bearer'],
    ] as const) {
      answerWith(401, { 'www-authenticate': given }, '{}')
      assert.equal((await ask('/v1/things/7')).headers.get('www-authenticate'), expected)
    }
  })

  it('returns pages that run no scripts with the origin of the console', async () => {
    await mounted.mount([operation({ responseHeaders: ['content-security-policy'] })])
    answerWith(200, { 'content-type': 'text/html', 'content-security-policy': 'script-src *' }, '<script>')
    const { headers } = await ask('/v1/things/7')
    assert.equal(headers.get('content-security-policy'), 'sandbox')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('passes what is below 500 as it is, also 304, and redirects only where they are declared', async () => {
    await mounted.mount([operation(), operation({ path: '/v1/things/{id}/file', redirects: true })])
    for (const status of [200, 201, 204, 206, 304, 400, 401, 403, 404, 409, 422, 429]) {
      answerWith(status, { etag: '"1"' })
      const reply = await ask('/v1/things/7')
      assert.equal(reply.status, status)
      assert.equal(reply.headers.get('etag'), '"1"')
    }
    answerWith(302, { location: '/base/v1/things/8' })
    const undeclared = await ask('/v1/things/7')
    assert.deepEqual([undeclared.status, undeclared.body.code], [502, 'upstream_failed'])
    const declared = await ask('/v1/things/7/file')
    assert.equal(declared.status, 302)
    for (const [location, own] of [
      ['/base/v1/things/8?x#y', '/v1/things/8?x#y'],
      [`${behind.url}/base/v1/things/8`, '/v1/things/8'],
      ['../8', '/v1/things/8'],
      ['/elsewhere', null],
      ['/base//evil.example', null],
      ['//evil.example/base/x', null],
      ['/\\evil.example/base/x', null],
      ['https://evil.example/base/x', null],
      ['javascript:alert(1)', null],
    ] as const) {
      answerWith(302, { location })
      assert.equal((await ask('/v1/things/7/file')).headers.get('location'), own, location)
    }
  })

  it('passes bytes compressed as they are', async () => {
    const bytes = gzipSync('{"a":1}')
    behind.behave((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bytes),
    )
    const reply = await ask('/v1/things/7', { 'accept-encoding': 'gzip' })
    assert.equal(reply.text, '{"a":1}')
    assert.equal(reply.headers.get('content-encoding'), 'gzip')
  })

  it('is logged and counted by its template and its service, never by the path as it came', async () => {
    await ask('/v1/things/canary-1?canary')
    await mounted.running.request('GET', '/v1/nowhere/canary-2')
    await mounted.running.request('GET', '/v1/things/canary-3')
    const lines = () =>
      mounted.running.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    await until('all are logged', () => lines().length === 3)
    const named = lines().map(({ route, service, status }) => `${status} ${route} ${service}`)
    assert.deepEqual(named.toSorted(), [
      '200 /v1/things/{id} things',
      '401 /v1/things/{id} things',
      '404 unknown undefined',
    ])
    const metrics = await mounted.running.core.metrics.registry.metrics()
    assert.match(
      metrics,
      /request_duration_seconds_count\{method="GET",route="\/v1\/things\/\{id\}",status="200",upstream="things"\}/,
    )
    assert.ok(!`${mounted.running.logLines.join('')}${metrics}`.includes('canary'))
  })

  it('says nothing of the length of a body where a response cannot have one', async () => {
    behind.behave(({ socket }) => void socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n'))
    const reply = await ask('/v1/things/7')
    assert.deepEqual([reply.status, reply.headers.get('content-length')], [204, null])
  })
})
