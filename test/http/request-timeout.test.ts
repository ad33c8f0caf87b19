import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Behind } from '../services/behind.ts'
import { type Mounted, operation, startMounted } from '../services/mounted.ts'
import type { Person } from '../support/console.ts'

/** All that comes back until the connection ends, and how many bytes of the body were sent until then. */
interface Ending {
  text: string
  sent: number
}

describe('a request that takes its time', { concurrency: true }, () => {
  let mounted: Mounted
  let person: Person

  before(async () => {
    mounted = await startMounted({
      deadlineMs: 3_000,
      operations: [operation({ method: 'POST' }), operation({ path: '/v1/early', method: 'POST' })],
    })
    const behind = mounted.behind['things'] as Behind
    behind.behave((request, response) => {
      if (request.url === '/v1/early') response.writeHead(409).end('early')
      else
        void buffer(request).then(
          (body) => response.end(`${body.length} bytes`),
          () => {},
        )
    })
    person = await mounted.running.person()
  })
  after(() => mounted.close())

  /** So many bytes a second, for so many of the bytes that were announced. */
  const trickle = (path: string, total: number, announced: number, perSecond = 1): Promise<Ending> => {
    const { hostname, port } = new URL(mounted.running.url)
    return new Promise((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => {
        const lines = [`POST ${path} HTTP/1.1`, 'host: a', `authorization: Bearer ${person.token}`]
        socket.write([...lines, `content-length: ${announced}`, '', ''].join('\r\n'))
      })
      let sent = 0
      const more = setInterval(() => {
        if (sent < total) {
          socket.write('x'.repeat(perSecond))
          sent += perSecond
        }
      }, 1_000)
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        if (sent >= announced) socket.end()
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(more)
        resolve({ text, sent })
      })
    })
  }

  it('is cut off after 15 s with a 408 where the console reads it', async () => {
    const { text, sent } = await trickle('/v1/agent-configurations', 60, 60)
    assert.match(text, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
    assert.ok(sent < 60, `${sent} bytes`)
  })

  it('goes on for as long as it moves where a service reads it', async () => {
    const { text } = await trickle('/v1/things/7', 18 * 2_000, 18 * 2_000, 2_000)
    assert.match(text, /^HTTP\/1\.1 200 .*36000 bytes/s)
  })

  it('is cut off after 10 s where a service reads it if it moves by less than 1 KiB a second', async () => {
    const { text, sent } = await trickle('/v1/things/7', 60_000, 60_000, 500)
    assert.match(text, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
    assert.ok(sent < 60_000, `${sent} bytes`)
  })

  it('is cut off by the deadline of the service once it stands still', async () => {
    const { text } = await trickle('/v1/things/7', 2, 10)
    assert.match(text, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  })

  it('has 15 s to end once it was answered', async () => {
    const { text, sent } = await trickle('/v1/early', 60 * 70_000, 60 * 70_000, 70_000)
    assert.match(text, /^HTTP\/1\.1 409 .*early/s)
    assert.ok(sent < 60 * 70_000, `${sent} bytes`)
  })
})
