import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip, gunzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { MODES, type Mode } from '../support/evolution-service/misbehaviour.ts'
import { type EvolutionService, startEvolutionService } from '../support/evolution-service/server.ts'
import { type Issuer, startIssuer } from '../support/issuer/issuer.ts'
import { until } from '../support/until.ts'

const user = randomUUID()
const team = randomUUID()
const agentId = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
const MEBIBYTE = 1024 * 1024
/** Long enough to be sure that nothing more comes. */
const QUIET_MS = 200

let issuer: Issuer
let token: string
before(async () => {
  issuer = await startIssuer({ grants: false })
  token = await issuer.token({ user, team })
})
after(() => issuer.close())

async function start(t: TestContext): Promise<EvolutionService> {
  const service = await startEvolutionService({ issuer: issuer.url, audience: issuer.audience })
  t.after(() => service.close())
  return service
}

interface Heard {
  head: string
  body: Buffer
  /** How the service left the connection: ended, reset, or still open when it had been quiet for a while. */
  end: 'fin' | 'reset' | 'open'
}

/** Says exactly this and listens, with nothing in between that would mend or refuse what comes. */
async function speak({ port }: EvolutionService, said: string | Buffer, quietMs = 10_000): Promise<Heard> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).setTimeout(quietMs)
  socket.write(said)
  const end = await new Promise<Heard['end']>((resolve) => {
    socket.once('end', () => resolve('fin'))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A reset that overtakes our own bytes shows as EPIPE.
      assert.match(error.code ?? '', /ECONNRESET|EPIPE/)
      resolve('reset')
    })
    socket.once('timeout', () => resolve('open'))
  })
  socket.destroy()
  const bytes = Buffer.concat(chunks)
  const blank = bytes.indexOf('\r\n\r\n')
  return blank < 0
    ? { head: '', body: bytes, end }
    : { head: bytes.subarray(0, blank).toString('latin1'), body: bytes.subarray(blank + 4), end }
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: evolution', `authorization: Bearer ${token}`, ...headers, '', ''].join(
    '\r\n',
  )

const getStatus = () => get(`/evolution/status/${agentId}`)
const getStatusOnce = () => get(`/evolution/status/${agentId}`, 'connection: close')

async function call(service: EvolutionService, path: string, body?: string | Buffer, bearer = token) {
  const response = await fetch(service.url + path, {
    headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
    redirect: 'manual',
    ...(body !== undefined && { method: 'POST', body }),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

const parse = (body: Buffer) => JSON.parse(body.toString()) as Record<string, unknown>
const lengthIn = (head: string) => Number(/^content-length: (\d+)$/im.exec(head)?.[1])

describe('when it behaves', () => {
  test('a status is the same for the same agent, and another for another', async (t) => {
    const service = await start(t)
    const ask = (id: string) => call(service, `/evolution/status/${id}`)

    const first = await ask(agentId)
    const status = parse(first.body)

    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-type'), 'application/json')
    assert.deepEqual(Object.keys(status), ['agent_id', 'state', 'generation', 'proposals', 'updated_at'])
    assert.equal(status['agent_id'], agentId)
    assert.deepEqual((await ask(agentId)).body, first.body)
    assert.notDeepEqual(
      { ...parse((await ask(randomUUID())).body), agent_id: agentId },
      { ...status, agent_id: agentId },
    )
  })

  test('a genome is kept, and given back, as the very bytes that came', async (t) => {
    const service = await start(t)
    const genome = Buffer.from(
      '{ "big": 12345678901234567890.10,\n\t"twice": 1, "twice": 2, "é": "\\u00e9" }',
    )

    const created = await call(service, '/v1/genomes', genome)
    const { id } = parse(created.body)
    const found = await call(service, `/v1/genomes/${String(id)}`)

    assert.equal(created.status, 201)
    assert.equal(created.headers.get('location'), `/v1/genomes/${String(id)}`)
    assert.ok(created.body.includes(Buffer.concat([Buffer.from('"genome":'), genome, Buffer.from(',"')])))
    assert.equal(found.status, 200)
    assert.deepEqual(found.body, genome)
    assert.equal((await call(service, `/v1/genomes/${randomUUID()}`)).status, 404)
  })

  test('a genome that asks for it, or is no object, is refused with 422', async (t) => {
    const service = await start(t)
    for (const genome of ['{"reject": true}', '[]', 'null', '{', '', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const { status, body } = await call(service, '/v1/genomes', genome)
      assert.equal(status, 422)
      assert.ok(Array.isArray(parse(body)['detail']))
    }
    assert.equal((await call(service, '/v1/genomes', '{"reject": false}')).status, 201)
  })

  test('paths are taken literally, and others answer 404', async (t) => {
    const service = await start(t)
    for (const path of [
      '/',
      '/evolution/status/not-a-uuid',
      `/evolution/status/${agentId}/`,
      '/v1/genomes',
    ]) {
      const { status, body } = await call(service, path)
      assert.equal(status, 404)
      assert.equal(typeof parse(body)['detail'], 'string')
    }
    assert.equal((await call(service, '/v1/genomes/', '{}')).status, 404)
  })
})

describe('the token', () => {
  test('of another issuer, for another audience, expired, forged or absent is refused', async (t) => {
    const service = await start(t)
    const otherIssuer = await startIssuer({ grants: false })
    t.after(() => otherIssuer.close())
    const exp = Math.floor(Date.now() / 1_000) + 60
    const claims = { iss: issuer.url, aud: issuer.audience, sub: user, exp }
    const bad = {
      absent: '',
      'no JWT': 'nonsense',
      forged: await otherIssuer.sign(claims),
      'forged with our key id': await otherIssuer.sign(claims, { kid: issuer.signingKey().kid }),
      'of another issuer': await otherIssuer.token({ user, team }),
      'for another audience': await issuer.sign({ ...claims, aud: 'another' }),
      expired: await issuer.sign({ ...claims, exp: exp - 600 }),
    }

    for (const [what, bearer] of Object.entries(bad)) {
      const { status, headers, body } = await call(service, `/evolution/status/${agentId}`, undefined, bearer)
      assert.equal(status, 401, what)
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/)
      assert.equal(typeof parse(body)['detail'], 'string')
    }
    const good = await issuer.sign(claims)
    assert.equal((await call(service, `/evolution/status/${agentId}`, undefined, good)).status, 200)
  })

  test('signed with a new key is accepted at once', async (t) => {
    const service = await start(t)
    assert.equal((await call(service, `/evolution/status/${agentId}`)).status, 200)

    await issuer.rotateKey()

    const next = await issuer.token({ user, team })
    assert.equal((await call(service, `/evolution/status/${agentId}`, undefined, next)).status, 200)
  })

  test('cannot be judged while the issuer is away, and can when it is back', async (t) => {
    const service = await start(t)
    await issuer.stop()
    t.after(() => issuer.resume())
    assert.equal((await call(service, `/evolution/status/${agentId}`)).status, 503)

    await issuer.resume()

    assert.equal((await call(service, `/evolution/status/${agentId}`)).status, 200)
  })
})

describe('what it received', () => {
  test('is recorded as it was on the wire', async (t) => {
    const service = await start(t)
    const body = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x7b])

    await speak(service, get('/a%2Fb//../c?q=%C3%A9&q=+#f', 'X-Odd:  two  spaces ', 'x-odd: again'), QUIET_MS)
    await speak(
      service,
      Buffer.concat([Buffer.from('PUT * HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n'), body]),
      QUIET_MS,
    )
    await speak(
      service,
      'POST /v1/genomes HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\n\r\n',
      QUIET_MS,
    )

    assert.deepEqual(service.requests(), [
      {
        method: 'GET',
        target: '/a%2Fb//../c?q=%C3%A9&q=+#f',
        rawHeaders: ['host', 'evolution', 'authorization', `Bearer ${token}`].concat([
          'X-Odd',
          'two  spaces',
          'x-odd',
          'again',
        ]),
        body: Buffer.alloc(0),
      },
      { method: 'PUT', target: '*', rawHeaders: ['Host', 'h', 'Content-Length', '5'], body },
      {
        method: 'POST',
        target: '/v1/genomes',
        rawHeaders: ['host', 'h', 'transfer-encoding', 'chunked'],
        body: Buffer.from('{"a":1}'),
      },
    ])
    service.clearRequests()
    assert.deepEqual(service.requests(), [])
  })

  test('is not recorded when it was not complete', async (t) => {
    const service = await start(t)
    await speak(service, 'POST /v1/genomes HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\n\r\n{}', QUIET_MS)
    await until('the connection is gone', () => service.openSockets() === 0)
    assert.deepEqual(service.requests(), [])
  })

  test('connections are counted: open now, and all there were', async (t) => {
    const service = await start(t)
    const sockets = [1, 2, 3].map(() => connect(service.port, '127.0.0.1'))
    await until('three are open', () => service.openSockets() === 3)

    for (const socket of sockets) socket.destroy()

    await until('none is open', () => service.openSockets() === 0)
    assert.equal(service.totalConnections(), 3)
  })
})

/** One proof for each mode: the compiler asks for those that are missing. */
const proofs: Record<Mode, (service: EvolutionService) => Promise<void>> = {
  async slow(service) {
    service.misbehave('slow', { delayMs: 1_000, times: 1 })
    const responded: string[] = []
    const slow = speak(service, getStatusOnce()).finally(() => responded.push('slow'))
    await until('the slow request has arrived', () => service.requests().length > 0)
    await speak(service, getStatusOnce()).finally(() => responded.push('quick'))
    const { head, body } = await slow
    assert.deepEqual(responded, ['quick', 'slow'])
    assert.match(head, /^HTTP\/1.1 200 /)
    assert.equal(parse(body)['agent_id'], agentId)
  },

  async hang(service) {
    service.misbehave('hang')
    assert.deepEqual(await speak(service, getStatus(), QUIET_MS), {
      head: '',
      body: Buffer.alloc(0),
      end: 'open',
    })
    await until('the connection closes with its client', () => service.openSockets() === 0)
  },

  async hang_half_way(service) {
    service.misbehave('hang_half_way')
    const { head, body, end } = await speak(service, getStatus(), QUIET_MS)
    assert.match(head, /^HTTP\/1.1 200 /)
    assert.equal(body.length, Math.floor(lengthIn(head) / 2))
    assert.equal(end, 'open')
  },

  async error_500(service) {
    service.misbehave('error_500')
    const { head, body } = await speak(service, getStatusOnce())
    assert.match(head, /^HTTP\/1.1 500 /)
    assert.match(String(parse(body)['detail']), /internal/)
  },

  async error_503(service) {
    service.misbehave('error_503')
    const { head, body } = await speak(service, getStatusOnce())
    assert.match(head, /^HTTP\/1.1 503 [^]*retry-after: 7/)
    assert.match(String(parse(body)['detail']), /internal/)
  },

  async error_4xx(service) {
    service.misbehave('error_4xx')
    assert.equal((await call(service, '/')).status, 400)
    service.misbehave('error_4xx', { status: 429, headers: { 'retry-after': '3' } })
    const { status, headers, body } = await call(service, '/v1/genomes', '{}')
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '3')
    assert.equal(typeof parse(body)['detail'], 'string')
    assert.throws(() => service.misbehave('error_4xx', { status: 500 }), RangeError)
  },

  async redirect(service) {
    service.misbehave('redirect')
    const { status, headers } = await call(service, `/evolution/status/${agentId}`)
    assert.equal(status, 302)
    assert.equal(service.redirectsFollowed(), 0)
    const followed = await call(service, headers.get('location') ?? '')
    assert.equal(followed.status, 200)
    assert.equal(service.redirectsFollowed(), 1)
  },

  async html(service) {
    service.misbehave('html')
    const { head, body } = await speak(service, getStatusOnce())
    assert.match(head, /^HTTP\/1.1 200 [^]*content-type: text\/html/)
    assert.match(body.toString(), /^<!doctype html>/)
  },

  async array(service) {
    service.misbehave('array')
    const { status, body } = await call(service, '/')
    assert.equal(status, 200)
    assert.ok(Array.isArray(parse(body)))
  },

  async empty(service) {
    service.misbehave('empty')
    const { head, body } = await speak(service, getStatusOnce())
    assert.match(head, /^HTTP\/1.1 204 /)
    assert.doesNotMatch(head, /content-length|transfer-encoding/i)
    assert.equal(body.length, 0)
  },

  async echo(service) {
    service.misbehave('echo')
    const bytes = Buffer.from([0x7b, 0, 0xff, 0xef, 0xbb, 0xbf, 0x0d, 0x0a, 0x7d])
    const posted = await call(service, '/v1/genomes', bytes)
    assert.equal(posted.status, 200)
    assert.deepEqual(posted.body, bytes)
    assert.deepEqual((await call(service, '/')).body, Buffer.from('{}'))

    service.answerWith(bytes, { status: 404, headers: { 'content-type': 'x/y', etag: '"1"' } })
    const { status, headers, body } = await call(service, '/')
    assert.equal(status, 404)
    assert.deepEqual([headers.get('content-type'), headers.get('etag')], ['x/y', '"1"'])
    assert.deepEqual(body, bytes)
  },

  async truncated_chunk(service) {
    service.misbehave('truncated_chunk')
    const { head, body, end } = await speak(service, getStatus())
    assert.match(head, /^HTTP\/1.1 200 [^]*transfer-encoding: chunked/)
    const [, size = '', chunk = ''] = /^([0-9a-f]+)\r\n([^]*)$/.exec(body.toString()) ?? []
    assert.ok(chunk.length > 0 && chunk.length < Number.parseInt(size, 16))
    assert.equal(end, 'fin')
  },

  async wrong_length(service) {
    service.misbehave('wrong_length')
    const longer = await speak(service, getStatus())
    assert.equal(lengthIn(longer.head), longer.body.length + 10)
    assert.equal(typeof parse(longer.body)['state'], 'string')
    assert.equal(longer.end, 'fin')

    service.misbehave('wrong_length', { by: -5 })
    const shorter = await speak(service, getStatus(), QUIET_MS)
    const promised = lengthIn(shorter.head)
    assert.equal(promised, shorter.body.length - 5)
    assert.equal(typeof parse(shorter.body.subarray(0, promised))['state'], 'string')
    assert.equal(shorter.end, 'open')
  },

  async gigabyte(service) {
    service.misbehave('gigabyte', { bytes: 3 * MEBIBYTE + 1 })
    const whole = await call(service, '/')
    assert.equal(whole.body.length, 3 * MEBIBYTE + 1)
    assert.deepEqual(Object.keys(parse(whole.body)), ['state'])

    service.misbehave('gigabyte')
    const pooled = service.openSockets()
    const socket = connect(service.port, '127.0.0.1')
    socket.write(getStatus())
    await once(socket, 'readable')
    const sent = service.bytesWritten()
    await delay(QUIET_MS)
    // What the kernel buffers for both ends, and no more, leaves a service whose response is not read.
    const stalled = service.bytesWritten()
    assert.ok(stalled < 64 * MEBIBYTE, `${stalled} bytes`)
    socket.on('data', () => undefined)
    await until(
      'it goes on when read',
      () => service.bytesWritten() > Math.max(sent, stalled) + 32 * MEBIBYTE,
    )
    socket.destroy()
    await until('it stops when left', () => service.openSockets() <= pooled)
    assert.ok(service.bytesWritten() < 1024 * MEBIBYTE)
  },

  async gzip_bomb(service) {
    const asked = get('/', 'accept-encoding: identity', 'connection: close')
    service.misbehave('gzip_bomb', { bytes: 3 * MEBIBYTE + 1 })
    const small = gunzipSync((await speak(service, asked)).body)
    assert.equal(small.length, 3 * MEBIBYTE + 1)
    assert.deepEqual(Object.keys(parse(small)), ['state'])

    service.misbehave('gzip_bomb')
    const { head, body } = await speak(service, asked)
    assert.match(head, /^HTTP\/1.1 200 [^]*content-encoding: gzip/)
    assert.equal(lengthIn(head), body.length)
    assert.ok(body.length < 2 * MEBIBYTE, `${body.length} bytes`)
    let unfolded = 0
    const gunzip = createGunzip({ chunkSize: MEBIBYTE }).end(body)
    for await (const chunk of gunzip) unfolded += (chunk as Buffer).length
    assert.equal(unfolded, 1024 * MEBIBYTE)
  },

  async reset(service) {
    service.misbehave('reset')
    assert.deepEqual(await speak(service, getStatus()), { head: '', body: Buffer.alloc(0), end: 'reset' })
    assert.equal(service.requests().length, 1)
  },

  async reset_on_connect(service) {
    service.misbehave('reset_on_connect')
    assert.deepEqual(await speak(service, getStatus()), { head: '', body: Buffer.alloc(0), end: 'reset' })
    assert.equal(service.requests().length, 0)
    assert.equal(service.totalConnections(), 1)
  },

  async garbage(service) {
    service.misbehave('garbage')
    const { body, end } = await speak(service, getStatus())
    assert.ok(body.length > 0)
    assert.doesNotMatch(body.toString('latin1'), /^HTTP\//)
    assert.equal(end, 'fin')
    await assert.rejects(call(service, '/'), /fetch failed/)
  },
}

describe('on demand', () => {
  for (const mode of MODES) {
    test(`${mode} does on the wire what it says, and ends when told to`, async (t) => {
      const service = await start(t)
      await proofs[mode](service)

      service.misbehave(null)

      assert.equal((await call(service, `/evolution/status/${agentId}`)).status, 200)
    })
  }

  test('it misbehaves as often as told, and for the share it was told', async (t) => {
    const service = await start(t)
    const statuses = async (count: number) => {
      const seen: number[] = []
      for (let asked = 0; asked < count; asked += 1) {
        seen.push((await call(service, `/evolution/status/${agentId}`)).status)
      }
      return seen
    }

    service.misbehave('error_500', { times: 2 })
    assert.deepEqual(await statuses(4), [500, 500, 200, 200])
    service.misbehave('error_500', { share: 0.5 })
    assert.deepEqual(await statuses(5), [200, 500, 200, 500, 200])
    service.misbehave('error_500', { share: 0.5, times: 3 })
    assert.deepEqual(await statuses(6), [200, 500, 200, 200, 200, 200])
    service.misbehave('error_500', { share: 0.29 })
    assert.equal((await statuses(100)).filter((status) => status === 500).length, 29)
    service.misbehave('reset_on_connect', { times: 2 })
    for (const end of ['reset', 'reset', 'fin'])
      assert.equal((await speak(service, getStatusOnce())).end, end)
  })

  test('it is told over HTTP too, whatever it does to others, and records nothing of it', async (t) => {
    const service = await start(t)
    const tell = async (body: string) => {
      const { status } = await fetch(`${service.url}/_misbehave`, { method: 'PUT', body })
      return status
    }

    assert.equal(await tell('{"mode": "error_4xx", "status": 418, "times": 1}'), 204)
    assert.equal((await call(service, '/')).status, 418)
    assert.equal((await call(service, '/')).status, 404)
    assert.equal(await tell('{"mode": "reset"}'), 204)
    assert.equal(await tell('{"mode": null}'), 204)
    assert.equal((await call(service, '/')).status, 404)
    assert.equal(await tell('{"mode": "reset_on_connect", "times": 1}'), 204)
    const faulty = ['', 'null', '{}', '{"mode": "bored"}', '{"mode": "hang", "share": 2}'].concat(
      '{"mode": "hang", "tims": 1}',
      '{"mode": "reset_on_connect"}',
    )
    assert.equal((await speak(service, getStatus())).end, 'reset')
    for (const body of faulty) assert.equal(await tell(body), 400, body)
    assert.equal(service.requests().length, 3)
  })
})

describe('an outage', () => {
  test('cuts what is open and refuses, and what resumes is the same service', async (t) => {
    const service = await start(t)
    const pool = new Pool(service.url)
    t.after(() => pool.destroy())
    const { id } = parse((await call(service, '/v1/genomes', '{"a":1}')).body)

    for (let outage = 1; outage <= 3; outage += 1) {
      service.misbehave('hang')
      const hanging = assert.rejects(
        pool.request({ path: '/', method: 'GET' }),
        /other side closed|ECONNRESET/,
      )
      await until('the request has come', () => service.requests().at(-1)?.target === '/')
      await service.stop()
      await hanging
      assert.equal(service.openSockets(), 0)
      await assert.rejects(once(connect(service.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })

      await service.resume()
      service.misbehave(null)
      assert.deepEqual((await call(service, `/v1/genomes/${String(id)}`)).body, Buffer.from('{"a":1}'))
    }
  })

  test('stopping, resuming and closing twice is no error', async (t) => {
    const service = await start(t)
    await service.stop()
    await service.stop()
    await service.resume()
    await service.resume()
    await service.close()
    await service.close()
  })

  test('a taken or impossible port is an error, and a free one lies below the ephemeral range', async (t) => {
    const { port, url } = await start(t)
    const at = (wanted: number) => startEvolutionService({ issuer: url, audience: 'any', port: wanted })

    assert.ok(port >= 20_000 && port < 32_768)
    await assert.rejects(at(port), { code: 'EADDRINUSE' })
    await assert.rejects(at(Number.NaN), { code: 'ERR_SOCKET_BAD_PORT' })
  })
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the process prints one line, serves, and ends on ${signal} whatever hangs`, async (t) => {
    const child = spawn(process.execPath, ['test/support/evolution-service/main.ts'], {
      cwd: new URL('../..', import.meta.url),
      env: {
        ...process.env,
        EVOLUTION_PORT: '',
        AUTH_ISSUER: issuer.url,
        AUTH_AUDIENCE: issuer.audience,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const stderr = text(child.stderr)
    const lines: string[] = []
    const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
    await once(output, 'line')

    const url = /http:\S+/.exec(lines[0] ?? '')?.[0]
    assert.ok(url)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${url}/evolution/status/${agentId}`, { headers })).status, 200)
    await fetch(`${url}/_misbehave`, { method: 'PUT', body: '{"mode": "hang_half_way"}' })
    const hanging = await fetch(url)
    child.kill(signal)

    assert.deepEqual(await exited, [0, null])
    await assert.rejects(hanging.text(), /terminated/)
    assert.equal(await stderr, '')
    assert.deepEqual(lines, [`evolution service listening on ${url} for tokens of ${issuer.url}`])
  })
}
