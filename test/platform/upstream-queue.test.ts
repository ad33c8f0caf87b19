import assert from 'node:assert/strict'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { Problem } from '../../src/api/problem.ts'
import { createMetrics } from '../../src/platform/observe/metrics.ts'
import { createUpstream } from '../../src/platform/upstream/upstream.ts'
import { closeAfter } from '../support/close-after.ts'

const MAX_IN_FLIGHT = 8
/** Of one team. */
const MOST = 6
const MAX_EVENT_STREAMS = 6
/** More than the breaker needs to open, if they counted. */
const QUEUED = 20

const LARGE = Buffer.alloc(256 * 1024)

describe('the turns of an upstream', async () => {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(request.url ?? '')
    // A response that its client does not read holds a place.
    if (request.url === '/unread') response.write(LARGE)
    else if (request.url === '/events')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    else response.end('{}')
  })
  const port = await onFreePort(
    (free) =>
      new Promise<unknown>((resolve, reject) => {
        server.once('error', reject).listen(free, '127.0.0.1', () => resolve(undefined))
      }),
  )
  const metrics = createMetrics()
  const upstream = createUpstream({
    name: 'healthy',
    url: `http://127.0.0.1:${port}`,
    deadlineMs: 500,
    maxResponseBytes: Number.POSITIVE_INFINITY,
    maxInFlight: MAX_IN_FLIGHT,
    maxEventStreams: MAX_EVENT_STREAMS,
    metrics,
  })
  closeAfter(async () => {
    await upstream.close()
    server.close()
    server.closeAllConnections()
  })

  const client = () => new ServerResponse(new IncomingMessage(new Socket()))
  const get = (path: string, team = 'a') => ({ team, method: 'GET', path, headers: {} }) as const

  for (const use of ['fetch', 'stream'] as const) {
    it(`do not count a ${use} that was never sent as a failure of the upstream`, async () => {
      received.length = 0
      const reading = await Promise.all(
        Array.from({ length: MOST }, () => upstream.stream(get('/unread'), client())),
      )
      const queued = await Promise.allSettled(
        Array.from({ length: QUEUED }, () => upstream[use](get('/queued'), client())),
      )
      for (const result of queued) {
        assert.ok(result.status === 'rejected' && result.reason instanceof Problem)
        assert.equal(result.reason.code, 'too_many_requests')
        assert.equal(result.reason.headers['retry-after'], '2')
      }
      assert.equal(upstream.breaker(), 'closed')
      assert.ok(!received.includes('/queued'))
      for (const { body } of reading) body.destroy()
      assert.equal((await upstream.fetch(get('/after'), client())).status, 200)
    })
  }

  it('report such requests by the cause of the refusal', async () => {
    const text = await metrics.registry.metrics()
    assert.match(text, new RegExp(`_count\\{upstream="healthy",outcome="own_share"\\} ${2 * QUEUED}`))
    assert.match(text, /in_flight\{upstream="healthy"\} 0/)
  })

  it('are given to the requests of a team in order of arrival, and to none whose client has disconnected', async () => {
    received.length = 0
    const reading = await Promise.all(
      Array.from({ length: MOST }, () => upstream.stream(get('/unread'), client())),
    )
    const gone = client()
    const first = upstream.fetch(get('/first'), client())
    const cancelled = upstream.fetch(get('/cancelled'), gone)
    const second = upstream.fetch(get('/second'), client())
    gone.emit('close')
    await assert.rejects(cancelled, { code: 'client_disconnected' })
    reading[0]?.body.destroy()
    await Promise.all([first, second])
    assert.deepEqual(received.slice(MOST), ['/first', '/second'])
    for (const { body } of reading) body.destroy()
  })

  it('leave a quarter of the places to other teams', async () => {
    const reading = await Promise.all(
      Array.from({ length: MOST }, () => upstream.stream(get('/unread'), client())),
    )
    const other = await Promise.all(
      Array.from({ length: MAX_IN_FLIGHT - MOST }, () => upstream.stream(get('/unread', 'b'), client())),
    )
    await assert.rejects(upstream.fetch(get('/queued', 'c'), client()), { code: 'overloaded' })
    for (const { body } of [...reading, ...other]) body.destroy()
  })

  it('are not held by event streams, of which one team can open only as many as it leaves to others', async () => {
    const open = (team: string) => upstream.stream(get('/events', team), client())
    const ofA = [await open('a'), await open('a'), await open('a')]
    await assert.rejects(open('a'), { code: 'too_many_requests' })
    const others = [await open('b'), await open('c'), await open('d')]
    await assert.rejects(open('e'), { code: 'overloaded' })
    assert.equal((await upstream.fetch(get('/after'), client())).status, 200)
    for (const { body } of [...ofA, ...others]) body.on('error', () => {}).destroy()
    const again = await open('a')
    again.body.on('error', () => {}).destroy()
  })
})
