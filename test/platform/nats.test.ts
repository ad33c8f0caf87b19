import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { NatsConnection } from '@nats-io/transport-node'
import { freePorts } from '../../dev/free-port.ts'
import { Nats } from '../../src/platform/nats/nats.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { createNatsProcess, type NatsProcess } from '../support/nats-process.ts'
import { until } from '../support/until.ts'

describe('the connection to NATS', () => {
  let folder: string
  let port: number | undefined
  let server: NatsProcess | undefined
  let nats: Nats | undefined
  let logLines: string[]
  const log = createLog('info', { write: (line) => void logLines.push(line) })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-nats-'))
    ;[port] = await freePorts(1)
  })
  beforeEach(() => {
    logLines = []
  })
  afterEach(async () => {
    await nats?.close()
    await server?.stop()
  })
  after(() => rm(folder, { recursive: true }))

  const serve = async (...options: string[]) => {
    await server?.stop()
    server = createNatsProcess(['--addr', '127.0.0.1', '--port', `${port}`, '-sd', folder, ...options])
    await server.start()
  }
  const connectTo = (url: string) => {
    const created = new Nats(url, log)
    nats = created
    return {
      isUp: () => created.isUp(),
      connection: () => created.connection(),
      close: () => created.close(),
    }
  }
  const refusals = () => logLines.filter((line) => line.includes('Authorization Violation')).length

  it('carries the credentials of its address, whatever characters they have', async () => {
    await serve('--user', 'console', '--pass', '7:s@cret/')
    const { isUp } = connectTo(`nats://console:7%3As%40cret%2F@127.0.0.1:${port}`)
    await until('it is connected', isUp)
  })

  it('carries a token', async () => {
    await serve('--auth', 'a-token')
    const { isUp } = connectTo(`nats://a-token@127.0.0.1:${port}`)
    await until('it is connected', isUp)
  })

  it('takes the first server that answers, with blanks between the addresses', async () => {
    await serve()
    const { isUp } = connectTo(`nats://127.0.0.1:9, nats://127.0.0.1:${port}`)
    await until('it is connected', isUp)
  })

  it('is not made without TLS where the address asks for it', async () => {
    await serve()
    const { isUp } = connectTo(`tls://127.0.0.1:${port}`)
    await until('it is refused', () => logLines.some((line) => line.includes("does not support 'tls'")))
    assert.equal(isUp(), false)
  })

  it('comes back however often it was refused, and says once why it was', async () => {
    await serve()
    const { isUp, connection } = connectTo(`nats://127.0.0.1:${port}`)
    await until('it is connected', isUp)
    let refused = 0
    const count = async (connected: NatsConnection) => {
      for await (const { type } of connected.status()) if (type === 'error') refused++
    }
    const counting = count(connection() as NatsConnection)
    await serve('--auth', 'a-token')
    // By default a client gives up after two in a row.
    await until('it is refused again and again', () => refused >= 4)
    assert.equal(connection()?.isClosed(), false)
    assert.equal(refusals(), 1)
    await serve()
    await until('it is connected again', isUp)
    await nats?.close()
    await counting
  })

  it('leaves no socket of an attempt to reconnect that it was closed in', async () => {
    await serve()
    const attempts: Socket[] = []
    // The first connection reaches the server. The second one waits for its greeting.
    const proxy = createServer((socket) => {
      attempts.push(socket.on('error', () => {}))
      if (attempts.length > 1) return
      const upstream = connect(port as number, '127.0.0.1')
      socket.pipe(upstream).pipe(socket)
      socket.on('close', () => upstream.destroy())
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const { isUp, close } = connectTo(`nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    await until('it is connected', isUp)
    attempts[0]?.destroy()
    await until('it reconnects', () => attempts.length > 1)
    await close()
    await until(
      'the attempt has ended',
      () => attempts[1]?.readableEnded === true || attempts[1]?.destroyed === true,
    )
    proxy.close()
  })
})
