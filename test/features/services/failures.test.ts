import assert from 'node:assert/strict'
import { request } from 'node:http'
import { beforeEach, describe, it } from 'node:test'
import type { Behaviour, Behind } from '../../support/behind.ts'
import type { Person } from '../../support/console.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { until } from '../../support/until.ts'

const DEADLINE_MS = 2_000
/** A request is sent when so much of its body has arrived. */
const READY_BYTES = 64 * 1024

/** What each misbehaviour is answered with. */
const CASES: Record<string, [Behaviour, number, string]> = {
  hangs: [() => {}, 504, 'upstream_timeout'],
  'answers 500': [
    (_q, response) => response.writeHead(500).end('Traceback: db.internal'),
    502,
    'upstream_failed',
  ],
  'answers 503': [(_q, response) => response.writeHead(503).end('overloaded'), 502, 'upstream_failed'],
  redirects: [(_q, response) => response.writeHead(302, { location: '/x' }).end(), 502, 'upstream_failed'],
  'resets the connection': [({ socket }) => void socket.resetAndDestroy(), 502, 'upstream_failed'],
  'closes the connection': [({ socket }) => void socket.end(), 502, 'upstream_failed'],
  'does not speak HTTP': [
    ({ socket }) => void socket.end('\u0016\u0003 no HTTP\r\n'),
    502,
    'upstream_failed',
  ],
  'sends two lengths': [
    ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    502,
    'upstream_failed',
  ],
  'sends a header that is none': [
    ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\netag: a\u0001b\r\ncontent-length: 2\r\n\r\nab'),
    502,
    'upstream_failed',
  ],
  'sends headers without end': [
    ({ socket }) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`),
    502,
    'upstream_failed',
  ],
  'changes the protocol': [
    ({ socket }) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    502,
    'upstream_failed',
  ],
  'announces too much': [
    (_q, response) => response.writeHead(200, { 'content-length': 2_000 }).end('x'.repeat(2_000)),
    502,
    'upstream_failed',
  ],
}

describe('a mounted service that', async () => {
  const mounted = await useMounted({
    deadlineMs: DEADLINE_MS,
    maxRequestBytes: 100_000,
    maxResponseBytes: 1_000,
    operations: [operation(), operation({ method: 'POST' })],
  })
  const behind = mounted.behind['things'] as Behind
  const people = [await mounted.running.person({ scope: '' }), await mounted.running.person({ scope: '' })]
  const [person] = people as [Person, Person]
  /** The teams take turns: the failures of one alone do not open the breaker for all. */
  let asked = 0
  const ask = (method = 'GET', raw?: string) =>
    mounted.running.request(method, '/v1/things/7', {
      token: (people[asked++ % 2] as Person).token,
      ...(raw === undefined ? {} : { raw }),
    })
  const well: Behaviour = (request, response) => {
    request.resume().on('end', () => response.end('well'))
  }

  /** An upload that moves all the time and does not end. */
  const drip = () => {
    const sent = request(`${mounted.running.url}/v1/things/7`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
    })
    sent.write('x'.repeat(READY_BYTES))
    const timer = setInterval(() => sent.write('x'), DEADLINE_MS / 8)
    sent.on('response', () => sent.destroy()).on('error', () => {})
    return sent.on('close', () => clearInterval(timer))
  }

  beforeEach(async () => {
    behind.behave(well)
    await until('it is closed for both', async () => (await ask()).status + (await ask()).status === 400)
    for (let call = 0; call < 12; call++) await ask()
    behind.asked.length = 0
  })

  for (const [what, [listener, status, code]] of Object.entries(CASES)) {
    it(`${what} is a ${status}`, async () => {
      behind.behave(listener)
      for (const reply of [await ask(), await ask('POST', '{}')]) {
        assert.deepEqual([reply.status, reply.body.code], [status, code])
        assert.ok(!/internal|Traceback|127/.test(reply.text))
      }
    })
  }

  it('grows without end is cut off at its cap', async () => {
    behind.behave((_request, response) => {
      response.writeHead(200)
      response.on('error', () => {})
      const more = setInterval(() => void response.write('x'.repeat(100)), 5)
      response.on('close', () => clearInterval(more))
    })
    await assert.rejects(ask('POST'), { message: 'terminated' })
  })

  it('is not taken at its word is not listened to any longer', async () => {
    let isOpen = true
    behind.behave((_request, response) => {
      response.writeHead(302, { location: '/x' })
      const more = setInterval(() => void response.write('and so on'), 20)
      response.on('close', () => {
        clearInterval(more)
        isOpen = false
      })
    })
    assert.equal((await ask()).status, 502)
    await until('its answer is ended', () => !isOpen)
  })

  it('takes no more than so much never gets more: 413', async () => {
    const announced = await ask('POST', 'x'.repeat(100_001))
    assert.deepEqual([announced.status, announced.body.code], [413, 'body_too_large'])
    assert.equal(behind.asked.length, 0)
    const chunks = new ReadableStream({
      start: (controller) => {
        for (let i = 0; i < 11; i++) controller.enqueue(new Uint8Array(10_000))
        controller.close()
      },
    })
    const unannounced = await fetch(`${mounted.running.url}/v1/things/7`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
      body: chunks,
      duplex: 'half',
    })
    assert.equal(unannounced.status, 413)
    assert.equal((await ask('POST', 'x'.repeat(100_000))).status, 200)
    assert.equal(mounted.upstream('things').state(), 'up')
  })

  it('is down answers 503 with Retry-After, in the form of every error, and returns by itself', async () => {
    await behind.stop()
    // A call that goes out on a connection while the service closes it is a 502. A GET is sent again on a new one.
    assert.equal((await ask()).status, 503)
    await until('its breaker is open', async () => {
      const reply = await ask('POST', '{}')
      assert.deepEqual([reply.status, reply.body.code], [503, 'upstream_unavailable'])
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
      return mounted.upstream('things').state() === 'down'
    })
    assert.equal((await ask()).status, 503)
    await behind.resume()
    await until('it is asked again', async () => (await ask()).status === 200)
  })

  it('fails once is asked again for a GET, and never for what has a body or changes something', async () => {
    let calls = 0
    behind.behave((request, response) => {
      calls += 1
      if (calls === 1) response.writeHead(503).end()
      else well(request, response)
    })
    assert.equal((await ask()).status, 200)
    assert.equal(calls, 2)
    // Enough for one more to be tried again.
    for (let call = 0; call < 20; call++) await ask()
    calls = 0
    assert.equal((await ask('POST', '{}')).status, 502)
    assert.equal(calls, 1)
  })

  it('breaks off every answer opens its breaker', async () => {
    behind.behave((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
    })
    await until('the breaker is open', async () => {
      await ask('POST').catch(() => {})
      return mounted.upstream('things').state() === 'down'
    })
  })

  it('streams events does not keep its breaker waiting for their end', async () => {
    behind.behave((_request, response) => response.writeHead(500).end())
    await until('the breaker is open', async () => {
      await ask('POST')
      return mounted.upstream('things').state() === 'down'
    })
    behind.behave((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const leave = new AbortController()
    await until('the probe is an event stream', async () => {
      const { status } = await fetch(`${mounted.running.url}/v1/things/7`, {
        headers: { authorization: `Bearer ${person.token}` },
        signal: leave.signal,
      })
      return status === 200
    })
    behind.behave(well)
    assert.equal((await ask()).status, 200)
    leave.abort()
  })

  it('recovers during a long upload does not keep its breaker waiting for the end of it', async () => {
    behind.behave((_request, response) => response.writeHead(500).end())
    await until('the breaker is open', async () => {
      await ask('POST')
      return mounted.upstream('things').state() === 'down'
    })
    behind.behave(well)
    behind.asked.length = 0
    let upload = drip()
    await until('the probe is an upload', () => {
      if (upload.destroyed) upload = drip()
      return behind.asked.length > 0
    })
    await until('others are answered', async () => (await ask()).status === 200)
    upload.destroy()
  })

  it('has hundreds of listeners still answers calls', async () => {
    const listen: Behaviour = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    behind.behave(listen)
    const leave = new AbortController()
    for (let listeners = 0; listeners < 260; listeners++) {
      const { status } = await fetch(`${mounted.running.url}/v1/things/7`, {
        headers: { authorization: `Bearer ${person.token}` },
        signal: leave.signal,
      })
      assert.equal(status, 200)
    }
    behind.behave(well)
    assert.equal((await ask()).status, 200)
    leave.abort()
  })
})
