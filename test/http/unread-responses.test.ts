import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { useConsole } from '../support/console.ts'

const CLIENTS = 500

describe('clients that do not read', async () => {
  const running = await useConsole()

  it('share one copy of the script of the reference', async (t) => {
    const { text } = await running.request('GET', '/docs')
    const path = /<script src="([^"]+)"/.exec(text)?.[1] ?? ''
    const head = await running.request('HEAD', path, { headers: { 'accept-encoding': 'identity' } })
    const size = Number(head.headers.get('content-length'))
    assert.ok(size > 4_000_000)

    globalThis.gc?.()
    const before = process.memoryUsage()
    const { hostname: host, port } = new URL(running.url)
    const sockets = await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const socket = connect({ host, port: Number(port) })
        t.after(() => socket.destroy())
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
        // The server has handed over the whole body when its first bytes arrive.
        await once(socket, 'readable')
        return socket
      }),
    )
    assert.equal(sockets.length, CLIENTS)
    globalThis.gc?.()
    const after = process.memoryUsage()
    const grownBytes = (kind: 'rss' | 'arrayBuffers') => after[kind] - before[kind]
    t.diagnostic(`arrayBuffers +${mib(grownBytes('arrayBuffers'))}, rss +${mib(grownBytes('rss'))} MiB`)
    // A copy for each client would be 2,200 MB. Each client of this test buffers up to 64 KiB itself.
    assert.ok(grownBytes('arrayBuffers') < 20 * size, `${mib(grownBytes('arrayBuffers'))} MiB`)
    assert.ok(grownBytes('rss') < 80 * size, `${mib(grownBytes('rss'))} MiB`)
  })
})

const mib = (bytes: number) => Math.round(bytes / 2 ** 20)
