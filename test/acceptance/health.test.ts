import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { startConsoleProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

describe('a console', () => {
  it('is ready and degraded while its database accepts connections and never answers', async () => {
    const sockets: Socket[] = []
    const blackHole = createServer((socket) => sockets.push(socket))
    const port = await onFreePort(async (free) => {
      blackHole.listen(free, '127.0.0.1')
      await once(blackHole, 'listening')
    })
    const running = await startConsoleProcess({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/x` })
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        const ready = await fetch(`${running.url}/health/ready`)
        assert.equal(ready.status, 200)
        const { status, dependencies } = (await ready.json()) as {
          status: string
          dependencies: { database: string }
        }
        assert.deepEqual([status, dependencies.database], ['degraded', 'down'])
      }
      const token = await running.token()
      const read = await fetch(
        `${running.url}/v1/agent-configurations/01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      )
      assert.equal(read.status, 503)
    } finally {
      await running.close()
      for (const socket of sockets) socket.destroy()
      blackHole.close()
    }
  })

  it('ends in bounded time although a client never ends its request, and at once when asked twice', async () => {
    for (const signals of [1, 2]) {
      const running = await startConsoleProcess({
        SHUTDOWN_DELAY_MS: '0',
        SHUTDOWN_TIMEOUT_MS: signals === 1 ? '500' : '60000',
      })
      const { hostname, port } = new URL(running.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      await once(socket, 'connect')
      const headers = ['host: a', `authorization: Bearer ${await running.token()}`, 'content-length: 10']
      const expectation = ['content-type: application/json', 'expect: 100-continue']
      const head = ['POST /v1/agent-configurations HTTP/1.1', ...headers, ...expectation]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      // The console has the request, and waits for its body.
      const [interim] = (await once(socket, 'data')) as [Buffer]
      assert.match(interim.toString(), /^HTTP\/1\.1 100 /)
      try {
        running.signal('SIGTERM')
        if (signals === 2) {
          await until('it has begun to shut down', () => running.output().includes('shutting down'))
          running.signal('SIGTERM')
        }
        assert.equal(await running.ended, signals === 1 ? 0 : 1)
      } finally {
        socket.destroy()
        await running.close()
      }
    }
  })

  it('says in one sentence that its metrics port is taken', async () => {
    const first = await startConsoleProcess()
    try {
      const { port } = new URL(first.metricsUrl)
      await assert.rejects(
        startConsoleProcess({ METRICS_PORT: port }),
        /Could not start: .*EADDRINUSE.* set PORT or METRICS_PORT\.$/m,
      )
    } finally {
      await first.close()
    }
  })
})
