import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { beforeEach, describe, it } from 'node:test'
import type { Behind } from '../../support/behind.ts'
import { closeAfter } from '../../support/close-after.ts'
import { operation, startMounted, useMounted } from '../../support/mounted.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024
/** A request is sent when so much of its body has arrived. */
const READY_BYTES = 64 * 1024

describe('through a mounted operation', async () => {
  const agent = new Agent({ keepAlive: true })
  closeAfter(() => agent.destroy())
  const mounted = await useMounted({
    services: ['things', 'silent'],
    deadlineMs: 2_500,
    operations: [
      ...[operation(), operation({ method: 'POST' }), operation({ method: 'DELETE' })],
      operation({ service: 'silent', method: 'POST', path: '/v1/silent' }),
    ],
  })
  const behind = mounted.behind['things'] as Behind
  const person = await mounted.running.person({ scope: '' })
  mounted.behind['silent']?.behave(() => {})
  beforeEach(() => {
    behind.asked.length = 0
  })

  /** Waits until a call that began now has missed its deadline. */
  const deadlinePasses = async () => {
    const { status } = await mounted.running.request('POST', '/v1/silent', { token: person.token })
    assert.equal(status, 504)
  }

  const open = (method = 'GET', headers: Record<string, string> = {}, token = person.token): ClientRequest =>
    httpRequest(`${mounted.running.url}/v1/things/1`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      agent,
    })
  const answerTo = async (sent: ClientRequest): Promise<IncomingMessage> => {
    const [answer] = await once(sent, 'response')
    return answer
  }

  it('bytes go both ways as they came, whatever their framing and their size', async () => {
    behind.behave((request, response) => {
      const length = request.headers['content-length']
      if (length !== undefined) response.setHeader('content-length', length)
      response.setHeader('content-type', request.headers['content-type'] ?? 'none/none')
      request.pipe(response)
    })
    for (const size of [0, 1, 1_000, 64 * 1024, 5 * MIB]) {
      const bytes = randomBytes(size)
      for (const framing of [{ 'content-length': String(size) }, { 'transfer-encoding': 'chunked' }]) {
        const sent = open('POST', { ...framing, 'content-type': 'image/png; x' })
        // Read while it is sent: the service sends it back, and buffers on the way need not hold all of it.
        const [[answer, body]] = await Promise.all([
          answerTo(sent).then(async (answer) => [answer, await buffer(answer)] as const),
          pipeline(Readable.from([bytes]), sent),
        ])
        assert.equal(answer.statusCode, 200)
        assert.equal(answer.headers['content-type'], 'image/png; x')
        assert.ok(body.equals(bytes), `${size} bytes`)
      }
    }
  })

  it('a body is what makes a request have one, not its method', async () => {
    behind.behave((request, response) => void request.pipe(response))
    for (const method of ['GET', 'DELETE']) {
      const answer = await answerTo(open(method, { 'content-length': '3' }).end('abc'))
      assert.equal((await buffer(answer)).toString(), 'abc')
    }
    const none = await answerTo(open('POST').end())
    assert.equal((await buffer(none)).length, 0)
  })

  it('the head of an answer and each event pass at once', async () => {
    const events: ((text: string) => void)[] = []
    behind.behave((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      events.push((text) => void response.write(text))
    })
    const sent = open().end()
    const answer = await answerTo(sent)
    assert.equal(answer.headers['content-type'], 'text/event-stream')
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      const received = once(answer, 'data')
      events[0]?.(text)
      assert.equal(String((await received)[0]), text)
    }
    // An event stream may be silent for longer than the deadline.
    await deadlinePasses()
    const received = once(answer, 'data')
    events[0]?.('data: 3\n\n')
    assert.equal(String((await received)[0]), 'data: 3\n\n')
    sent.destroy()
    await until('the service is left alone', () => behind.openSockets() === 0)
  })

  it('an event stream ends, whole, when the token of its caller does', async () => {
    behind.behave((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('data: 1\n\n')
    })
    const { issuer } = mounted.running
    const expiresAt = Math.ceil(Date.now() / 1_000) + 1
    const names = { sub: randomUUID(), team_id: randomUUID() }
    const token = await issuer.sign({ iss: issuer.url, aud: issuer.audience, exp: expiresAt, ...names })
    const answer = await answerTo(open('GET', {}, token).end())
    assert.equal((await buffer(answer)).toString(), 'data: 1\n\n')
    assert.ok(answer.complete)
    assert.ok(Date.now() >= expiresAt * 1_000)
    await until('the service is left alone', () => behind.openSockets() === 0)
  })

  it('a reader that stops stops the sender, and loses nothing', async () => {
    const chunk = randomBytes(MIB)
    const hash = createHash('sha256')
    behind.behave((_request, response) => {
      void pipeline(Readable.from(Array.from({ length: 64 }, () => chunk)), response)
    })
    const answer = await answerTo(open().end())
    answer.pause()
    // A reader may pause for longer than the deadline.
    await deadlinePasses()
    // What the two connections and the buffers between them hold.
    const written = behind.bytesWritten()
    assert.ok(written > 0 && written < 24 * MIB, `${written} bytes were sent`)
    for await (const part of answer) hash.update(part as Buffer)
    const expected = createHash('sha256')
    for (let i = 0; i < 64; i++) expected.update(chunk)
    assert.equal(hash.digest('hex'), expected.digest('hex'))
  })

  it('a service that does not read stops the caller', async () => {
    behind.behave((request) => void request.pause())
    const sent = open('POST', { 'transfer-encoding': 'chunked' })
    sent.on('error', () => {})
    let taken = 0
    const pour = () => {
      do taken += MIB
      while (sent.write(Buffer.alloc(MIB)) && taken < 256 * MIB)
      sent.once('drain', pour)
    }
    pour()
    const answer = await answerTo(sent)
    assert.equal(answer.statusCode, 504)
    assert.ok(taken < 32 * MIB, `${taken} bytes were taken`)
    sent.destroy()
  })

  it('a caller who leaves ends the call, at every stage of it', async () => {
    const stages: Record<string, [string, Parameters<Behind['behave']>[0]]> = {
      'before the answer': ['GET', () => {}],
      'half way through an upload': ['POST', (request) => void request.resume()],
      'half way through an answer': [
        'GET',
        (_request, response) => void response.writeHead(200, { 'content-length': 10 }).write('half'),
      ],
    }
    for (const [stage, [method, listener]] of Object.entries(stages)) {
      let closed = false
      behind.asked.length = 0
      behind.behave((request, response) => {
        response.on('close', () => {
          closed = true
        })
        listener(request, response)
      })
      const sent = open(method, method === 'POST' ? { 'content-length': String(2 * READY_BYTES) } : {})
      sent.on('error', () => {})
      if (method === 'POST') sent.write(Buffer.alloc(READY_BYTES))
      else sent.end()
      if (stage.endsWith('answer') && stage.startsWith('half')) await answerTo(sent)
      await until('the service has it', () => behind.asked.length === 1)
      sent.destroy()
      await until(`a caller who leaves ${stage} is missed`, () => closed)
    }
    assert.equal(mounted.upstream('things').state(), 'up')
  })

  it('an answer that breaks off never looks complete', async () => {
    const breaks: Record<string, Parameters<Behind['behave']>[0]> = {
      'with a length': (_request, response) => {
        response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
      },
      'in chunks': (_request, response) => {
        response.writeHead(200).write('half', () => response.destroy())
      },
      'by a reset': ({ socket }, response) => {
        response.writeHead(200).write('half', () => socket.resetAndDestroy())
      },
      'into silence': (_request, response) => {
        response.writeHead(200, { 'content-length': 10 }).write('half')
      },
      'before its first byte': (_request, response) => {
        response.writeHead(200, { 'content-length': 10 }).flushHeaders()
        setImmediate(() => response.destroy())
      },
    }
    for (const [way, listener] of Object.entries(breaks)) {
      behind.behave(listener)
      // Not GET: that might be tried again.
      const answer = await answerTo(open('POST').end())
      if (answer.statusCode !== 502) await assert.rejects(buffer(answer), { code: 'ECONNRESET' }, way)
    }
    const metrics = await mounted.running.core.metrics.registry.metrics()
    assert.match(metrics, /responses_broken_total\{upstream="things",outcome="cut_off"\} [34]/)
    assert.match(metrics, /responses_broken_total\{upstream="things",outcome="deadline"\} 1/)
    assert.match(metrics, /responses_streaming\{upstream="things"\} 0/)
    const line = mounted.running.logLines
      .map((text) => JSON.parse(text))
      .find(({ msg }) => msg === 'response aborted')
    assert.equal(line.route, '/v1/things/{id}')
    assert.equal(line.service, 'things')
  })

  it('an upload that is slow but moves arrives, and the call waits for it', async () => {
    behind.behave((request, response) => {
      void buffer(request).then((body) => response.end(String(body.length)))
    })
    const sent = open('POST', { 'transfer-encoding': 'chunked' })
    let written = 0
    const drip = setInterval(() => {
      sent.write('slow')
      written += 4
    }, 50)
    await deadlinePasses()
    await deadlinePasses()
    clearInterval(drip)
    const answer = await answerTo(sent.end())
    assert.equal((await buffer(answer)).toString(), String(written))
  })

  it('an upload that stops is cut off: 408, and not held against the service', async () => {
    let left = 0
    behind.behave((request) => {
      request.resume().on('error', () => left++)
    })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => {
        const sent = open('POST', { 'content-length': String(2 * READY_BYTES) })
        sent.write(Buffer.alloc(READY_BYTES))
        return answerTo(sent)
      }),
    )
    for (const answer of answers) {
      assert.equal(answer.statusCode, 408)
      assert.equal(JSON.parse((await buffer(answer)).toString()).code, 'request_timeout')
    }
    assert.equal(mounted.upstream('things').state(), 'up')
    await until('the service is left alone', () => left === 12)
  })

  it('an answer may come before the end of an upload, and the connection lives on', async () => {
    const held = Promise.withResolvers<void>()
    behind.behave(async (request, response) => {
      request.pause()
      await held.promise
      response.writeHead(409).end('no')
    })
    const sent = open('POST', { 'content-length': String(32 * MIB) })
    sent.write(Buffer.alloc(24 * MIB))
    await until('the service has the request', () => behind.asked.length === 1)
    held.resolve()
    const answer = await answerTo(sent)
    assert.equal(answer.statusCode, 409)
    assert.equal((await buffer(answer)).toString(), 'no')
    // The rest is taken and dropped, and the same connection carries the next request.
    const { socket } = sent
    const closed = once(sent, 'close')
    sent.end(Buffer.alloc(8 * MIB))
    await closed
    const next = open('POST').end()
    assert.equal((await answerTo(next)).statusCode, 409)
    assert.equal(next.socket, socket)
  })
})

describe('a console that shuts down', () => {
  it('ends event streams, whole, instead of waiting for them', async () => {
    const mounted = await startMounted({ operations: [operation()] })
    const { token } = await mounted.running.person({ scope: '' })
    mounted.behind['things']?.behave((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const answer = await fetch(`${mounted.running.url}/v1/things/7`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const [events] = await Promise.all([answer.text(), mounted.close()])
    assert.equal(events, 'data: 1\n\n')
  })
})
