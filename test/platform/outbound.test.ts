import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { freePorts, onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import {
  OutboundClient,
  OutboundError,
  type OutboundOptions,
  type OutboundPolicy,
} from '../../src/platform/outbound/client.ts'
import { type Behaviour, type Behind, startBehind } from '../support/behind.ts'
import { closeAfter } from '../support/close-after.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { until } from '../support/until.ts'

/** A busy machine must not end a fetch. */
const PATIENT_MS = 60_000
const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const redirect =
  (location: string, status = 302): Behaviour =>
  (_request, response) =>
    response.writeHead(status, { location }).end('moved')
const headersOf = ({ asked }: Behind) =>
  asked.map(({ rawHeaders }) => new Headers(Object.fromEntries(pairs(rawHeaders))))
const pairs = (flat: string[]) =>
  Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(at * 2, at * 2 + 2))

describe('a fetch for a caller', async () => {
  const [server, other] = await Promise.all([startBehind(), startBehind()])
  closeAfter(() => Promise.all([server.stop(), other.stop()]))
  const logLines: string[] = []
  const log = createLog('debug', { write: (line) => void logLines.push(line) })
  const policy: OutboundPolicy = {
    allowsHttp: true,
    allowedCidrs: ['127.0.0.1/32'],
    allowedPorts: [portOf(server), portOf(other)],
  }
  const client = new OutboundClient(policy, log)
  closeAfter(() => client.close())
  const get = (options: Partial<OutboundOptions> = {}, url = `${server.url}/card`) =>
    client.get(url, { teamId: 'team', timeoutMs: PATIENT_MS, ...options })
  const refuses = (reason: string, promise: Promise<unknown>) =>
    assert.rejects(promise, { name: 'OutboundError', reason })
  const allClosed = () =>
    until('all connections are closed', () => server.openSockets() + other.openSockets() === 0)

  beforeEach(() => {
    for (const each of [server, other]) {
      each.asked.splice(0)
      each.behave((_request, response) => response.end('{}'))
    }
  })

  it('returns the document with its address, type and tag', async () => {
    server.behave((request, response) => {
      if (request.url === '/card')
        response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end('{"a":1}')
      else redirect('/card#part', 308)(request, response)
    })
    const { body, ...rest } = await get({ accept: 'application/json' }, `${server.url}/moved#x`)
    assert.deepEqual(
      [body.toString(), rest],
      ['{"a":1}', { url: `${server.url}/card`, status: 200, contentType: 'application/json', etag: '"1"' }],
    )
    const [, sent] = headersOf(server)
    assert.deepEqual(
      ['accept', 'accept-encoding', 'user-agent', 'cookie'].map((name) => sent?.get(name)),
      ['application/json', 'identity', 'agent-console', null],
    )
  })

  it('returns 304 to a conditional request, and fails with any other status', async () => {
    server.behave(({ headers }, response) => response.writeHead(headers['if-none-match'] ? 304 : 404).end())
    const { status, body } = await get({ headers: { 'if-none-match': '"1"' } })
    assert.deepEqual([status, body.length], [304, 0])
    await assert.rejects(get(), { reason: 'not_success', message: 'The URL returned the status 404.' })
    server.behave((_request, response) => response.writeHead(302).end())
    await refuses('not_success', get())
  })

  it('follows three redirects and no more', async () => {
    const last =
      (count: number): Behaviour =>
      ({ url = '' }, response) => {
        const step = Number(url.slice(1))
        return step < count ? redirect(`/${step + 1}`)({} as never, response) : response.end('{}')
      }
    server.behave(last(3))
    assert.equal((await get({}, `${server.url}/0`)).url, `${server.url}/3`)
    server.asked.splice(0)
    server.behave(last(4))
    await refuses('too_many_redirects', get({}, `${server.url}/0`))
    server.behave(redirect('/card'))
    await refuses('too_many_redirects', get())
    assert.deepEqual(
      server.asked.map(({ line }) => line),
      [...['GET /0', 'GET /1', 'GET /2', 'GET /3'], ...Array.from({ length: 4 }, () => 'GET /card')],
    )
  })

  it('refuses other schemes, ports and user info, also in a redirect', async () => {
    const strict = new OutboundClient({ ...policy, allowsHttp: false })
    const { port } = new URL(server.url)
    const urls = [
      '',
      'card',
      '//127.0.0.1/',
      `ftp://127.0.0.1:${port}/`,
      'file:///etc/passwd',
      'data:,x',
      'http://[::1',
      `http://u@127.0.0.1:${port}/`,
      `http://:p@127.0.0.1:${port}/`,
      'http://127.0.0.1:22/',
      'http://127.0.0.1:6379/',
    ]
    for (const url of urls) {
      await refuses('invalid_url', get({}, url))
      if (!URL.canParse(url)) continue
      server.behave(redirect(url))
      await refuses('invalid_url', get())
    }
    await assert.rejects(strict.get(server.url, { teamId: 'team' }), {
      ...{ reason: 'invalid_url', message: 'The URL must start with https://.' },
    })
  })

  it('sends the headers of the caller to no other origin, and not again after it', async () => {
    const secret = { authorization: 'Bearer s3cret', 'x-api-key': 's3cret', cookie: 's3cret' }
    server.behave(({ url }, response) =>
      url === '/card'
        ? redirect('/same')({} as never, response)
        : url === '/same'
          ? redirect(`${other.url}/away`)({} as never, response)
          : response.end('{}'),
    )
    other.behave(redirect(`${server.url}/back`))
    await get({ headers: secret, accept: 'text/plain' })
    const [first, same, back] = headersOf(server)
    const [away] = headersOf(other)
    for (const name of Object.keys(secret)) {
      assert.deepEqual(
        [first, same, away, back].map((sent) => sent?.has(name)),
        [true, true, false, false],
        name,
      )
    }
    assert.deepEqual(
      [first, same, away, back].map((sent) => sent?.get('accept')),
      Array.from({ length: 4 }, () => 'text/plain'),
    )
  })

  it('stops reading a document that is too large, whatever its server says about the size', async () => {
    const half = Buffer.alloc(128 * 1024)
    const bomb = gzipSync(Buffer.alloc(2 ** 24))
    server.behave((_request, response) => response.end(Buffer.concat([half, half])))
    assert.equal((await get()).body.length, 256 * 1024)
    const tooLarge: Behaviour[] = [
      (_request, response) =>
        response.writeHead(200, { 'content-length': 2 ** 30 }).write(Buffer.alloc(300_000)),
      (_request, response) => {
        const timer = setInterval(() => response.write(half), 1)
        response.once('close', () => clearInterval(timer))
      },
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    ]
    for (const behaviour of tooLarge) {
      server.behave(behaviour)
      await assert.rejects(get(), {
        reason: 'too_large',
        message: 'The response is larger than 262144 bytes.',
      })
    }
    server.behave((_request, response) => response.end('12345'))
    await refuses('too_large', get({ maxBytes: 4 }))
    assert.equal((await get({ maxBytes: 5 })).body.length, 5)
    await allClosed()
  })

  it('ends in time when the server does not send headers, a body, or the end of it', async () => {
    const slow: Behaviour[] = [
      () => {},
      (_request, response) => response.writeHead(200).flushHeaders(),
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 10)
        response.once('close', () => clearInterval(timer))
      },
      // The time limit is one for all redirects.
      (request, response) => setTimeout(() => redirect('/card')(request, response), 100),
    ]
    for (const behaviour of slow) {
      server.behave(behaviour)
      await assert.rejects(get({ timeoutMs: 300 }), {
        ...{ reason: 'unreachable', detail: 'The operation was aborted due to timeout' },
      })
    }
    await allClosed()
  })

  it('tells a caller nothing about the network, and the log why it failed', async () => {
    const silent = createServer(() => {})
    const garbage = createServer((socket) => socket.end('garbage'))
    const ports = await Promise.all(
      [silent, garbage].map((each) =>
        onFreePort(async (free) => once(each.listen(free, '127.0.0.1'), 'listening')),
      ),
    )
    const [unused = 0] = await freePorts(1)
    const dns = await startDnsServer()
    dns.define('inside.test', ['10.0.0.1'])
    after(async () => {
      for (const each of [silent, garbage]) each.close()
      await dns.close()
    })
    const logging = new OutboundClient(
      { ...policy, allowedPorts: [...ports, unused], dnsServers: [dns.address] },
      log,
    )
    const details: Record<string, RegExp> = {
      [`http://127.0.0.1:${unused}/`]: /ECONNREFUSED/,
      [`http://127.0.0.1:${ports[0]}/`]: /aborted due to timeout/,
      [`https://127.0.0.1:${ports[0]}/`]: /aborted due to timeout/,
      [`http://127.0.0.1:${ports[1]}/`]: /Expected HTTP/,
      [`https://127.0.0.1:${ports[1]}/`]: /SSL|TLS/,
      'http://127.0.0.2/?s3cret': /127\.0\.0\.2\) is blocked/,
      'https://10.0.0.1/': /10\.0\.0\.1\) is blocked/,
      'https://[::1]/': /::1\) is blocked/,
      'https://inside.test/': /10\.0\.0\.1\) is blocked/,
      'https://unknown.test/': /ENOTFOUND/,
    }
    const messages = new Set<string>()
    for (const [url, expected] of Object.entries(details)) {
      logLines.splice(0)
      const error: unknown = await logging
        .get(url, { teamId: 'team', timeoutMs: /timeout/.test(expected.source) ? 300 : PATIENT_MS })
        .catch((caught: unknown) => caught)
      assert.ok(error instanceof OutboundError, url)
      assert.match(error.detail, expected, url)
      assert.match(logLines.join(), expected, url)
      assert.ok(!logLines.join().includes('s3cret'))
      messages.add(`${error.reason} ${error.message}`)
    }
    assert.deepEqual([...messages], ['unreachable The URL could not be reached.'])
  })

  it('uses connections of its own, and closes them', async () => {
    const sockets = new Set<Socket>()
    const patient = createHttpServer({ keepAliveTimeout: 0 }, ({ socket }, response) => {
      sockets.add(socket)
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=600' }).end('{}')
    })
    const port = await onFreePort((free) => listen(patient, free, '127.0.0.1'))
    after(() => stopListening(patient))
    const each = new OutboundClient({ ...policy, allowedPorts: [port] })
    for (const teamId of ['a', 'a', 'b'])
      await each.get(`http://127.0.0.1:${port}/`, { teamId, timeoutMs: PATIENT_MS })
    assert.equal(sockets.size, 3)
    await until('all connections are closed', () => [...sockets].every(({ destroyed }) => destroyed), 30_000)
  })

  it('leaves places for other teams', async () => {
    const leaving = new AbortController()
    server.behave(() => {})
    const hanging = Array.from({ length: 32 }, () => get({ signal: leaving.signal, timeoutMs: PATIENT_MS }))
    await assert.rejects(get(), { code: 'too_many_requests' })
    await until('all have begun', () => server.asked.length === 32)
    server.behave((_request, response) => response.end('{}'))
    assert.equal((await get({ teamId: 'other' })).status, 200)
    leaving.abort(new Error('The caller has left'))
    for (const result of await Promise.allSettled(hanging)) {
      assert.equal(result.status === 'rejected' && result.reason.message, 'The caller has left')
    }
    await allClosed()
    assert.equal((await get()).status, 200)
  })

  it('ends when the console does', async () => {
    const closing = new OutboundClient(policy)
    server.behave(() => {})
    const hanging = closing.get(server.url, { teamId: 'team', timeoutMs: PATIENT_MS })
    await until('it has begun', () => server.asked.length === 1)
    closing.close()
    await assert.rejects(hanging, { reason: 'unreachable' })
    await allClosed()
  })
})
