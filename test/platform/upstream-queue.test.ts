import assert from 'node:assert/strict'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { Problem } from '../../src/contract/problem.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createUpstream } from '../../src/platform/upstream/upstream.ts'

const MAX_IN_FLIGHT = 8
/** More than the breaker needs to open, if they counted. */
const QUEUED = 20

const LARGE = Buffer.alloc(256 * 1024)

describe('the request queue of an upstream', async () => {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(request.url ?? '')
    // A response that its client does not read holds a place of the queue.
    if (request.url === '/unread') response.write(LARGE)
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
    metrics,
  })
  after(async () => {
    await upstream.close()
    server.close()
    server.closeAllConnections()
  })

  const client = () => new ServerResponse(new IncomingMessage(new Socket()))
  const get = (path: string) => ({ method: 'GET', path, headers: {} }) as const

  for (const use of ['fetch', 'stream'] as const) {
    it(`does not count a ${use} that was never sent as a failure of the upstream`, async () => {
      received.length = 0
      const reading = await Promise.all(
        Array.from({ length: MAX_IN_FLIGHT }, () => upstream.stream(get('/unread'), client())),
      )
      const queued = await Promise.allSettled(
        Array.from({ length: QUEUED }, () => upstream[use](get('/queued'), client())),
      )
      for (const result of queued) {
        assert.ok(result.status === 'rejected' && result.reason instanceof Problem)
        assert.equal(result.reason.code, 'upstream_unavailable')
        assert.equal(result.reason.headers['retry-after'], '2')
      }
      assert.equal(upstream.breaker(), 'closed')
      assert.ok(!received.includes('/queued'))
      for (const { body } of reading) body.destroy()
      assert.equal((await upstream.fetch(get('/after'), client())).status, 200)
    })
  }

  it('reports such requests as not_sent', async () => {
    const text = await metrics.registry.metrics()
    assert.match(text, new RegExp(`_count\\{upstream="healthy",outcome="not_sent"\\} ${2 * QUEUED}`))
    assert.match(text, /in_flight\{upstream="healthy"\} 0/)
  })

  it('sends waiting requests in order of arrival, and none whose client has disconnected', async () => {
    received.length = 0
    const reading = await Promise.all(
      Array.from({ length: MAX_IN_FLIGHT }, () => upstream.stream(get('/unread'), client())),
    )
    const gone = client()
    const first = upstream.fetch(get('/first'), client())
    const cancelled = upstream.fetch(get('/cancelled'), gone)
    const second = upstream.fetch(get('/second'), client())
    gone.emit('close')
    await assert.rejects(cancelled, { code: 'client_disconnected' })
    reading[0]?.body.destroy()
    await Promise.all([first, second])
    assert.deepEqual(received.slice(MAX_IN_FLIGHT), ['/first', '/second'])
    for (const { body } of reading) body.destroy()
  })
})
