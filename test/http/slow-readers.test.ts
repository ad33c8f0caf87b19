import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { type TestConsole, useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024
const STALL_MS = 5_000
/** More than the buffers of the operating system take for one connection. */
const BODY_BYTES = 16 * MIB
const BUDGET_BYTES = 64 * MIB
const GREEDY_CLIENTS = 12

describe('a client that does not read', async () => {
  const running = await useLargeResponses({ RESPONSE_STALL_MS: String(STALL_MS) })
  const { ask, cutOffs } = running

  it('is cut off when its response makes no progress', async () => {
    const { token } = await running.person()
    const socket = ask(token)
    await until('it is cut off', async () => (await cutOffs('stalled')) === 1)
    assert.ok((await readToEnd(socket)) < BODY_BYTES)
    assert.ok(running.logLines.some((line) => line.includes('response cut off') && line.includes('stalled')))
  })

  it('is served for as long as it takes if it reads slowly', async () => {
    const { token } = await running.person()
    const before = await cutOffs('stalled')
    const startedAt = performance.now()
    // Two megabytes in each eighth of the time limit: the system reports progress in large steps.
    const received = await readToEnd(ask(token), 2 * MIB, STALL_MS / 8)
    assert.ok(received > BODY_BYTES)
    assert.ok(performance.now() - startedAt > STALL_MS / 2)
    assert.equal(await cutOffs('stalled'), before)
  })
})

describe('clients that do not read', async () => {
  const running = await useLargeResponses({ MAX_UNSENT_BYTES: String(BUDGET_BYTES) })
  const { ask, cutOffs } = running

  const heldBytes = () => {
    globalThis.gc?.()
    return process.memoryUsage().arrayBuffers
  }

  it('lose responses when all unsent ones take too much memory, and other teams do not', async (t) => {
    const [greedy, other] = await Promise.all([running.person(), running.person()])
    const before = heldBytes()
    const small = ask(other.token)
    for (let n = 0; n < GREEDY_CLIENTS; n++) ask(greedy.token)
    const mostCutOff = GREEDY_CLIENTS + 1 - BUDGET_BYTES / BODY_BYTES
    await until('the budget is kept', async () => (await cutOffs('memory')) >= mostCutOff)
    // A connection that is cut off gives its memory back a little later.
    let held = 0
    await until('what was cut off is free', () => (held = heldBytes() - before) < 2 * BUDGET_BYTES)
    t.diagnostic(`${Math.round(held / MIB)} MiB held of ${((GREEDY_CLIENTS + 1) * BODY_BYTES) / MIB}`)
    assert.ok((await readToEnd(small)) > BODY_BYTES)
  })

  it('cannot avoid the limit by sending requests without waiting for responses', async () => {
    const { token } = await running.person()
    const before = heldBytes()
    const cutOffBefore = await cutOffs('memory')
    ask(token, GREEDY_CLIENTS)
    await until('the client is cut off', async () => (await cutOffs('memory')) > cutOffBefore)
    await until('the memory is free', () => heldBytes() - before < BUDGET_BYTES)
  })
})

describe('a console with MAX_CONNECTIONS', async () => {
  const MAX = 5
  const sockets = new Set<Socket>()
  after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const hanging = new Set<() => void>()
  const running = await useConsole({
    environment: { MAX_CONNECTIONS: String(MAX) },
    extend: (app) => {
      const options = { config: { permission: 'public' }, schema: { hide: true } } as const
      app.get('/hanging', options, (_request, reply) => void hanging.add(() => void reply.send()))
    },
  })
  beforeEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await until('all connections are closed', async () =>
      /^console_connections 0$/m.test(await running.deps.metrics.registry.metrics()),
    )
  })

  const add = () => {
    const socket = open(running)
    sockets.add(socket.on('error', () => {}))
    return socket
  }
  const get = (socket: Socket, path: string, token?: string) => {
    const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${authorization}\r\n`)
    return new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
  }

  it('accepts further connections in place of those that have sent no request', async () => {
    const silent = Array.from({ length: MAX }, () => add().resume())
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    for (let n = 0; n < MAX; n++) {
      const { token } = await running.person()
      assert.equal(await get(add(), '/v1/me', token), true)
    }
    await until('they are closed', () => silent.every((socket) => socket.closed))
  })

  it('keeps the idle connections of a team that has fewer than others', async () => {
    const { token } = await running.person()
    const kept = add()
    assert.equal(await get(kept, '/v1/me', token), true)
    for (let n = 0; n < 3 * MAX; n++) assert.equal(await get(add(), '/health/live'), true)
    assert.equal(await get(kept, '/v1/me', token), true)
  })

  it('accepts further connections in place of those whose body does not arrive', async () => {
    const { token } = await running.person()
    for (let n = 0; n < MAX; n++) {
      const socket = add()
      socket.write(
        `POST /v1/agent-configurations HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
          'content-type: application/json\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n',
      )
      await new Promise((resolve) => socket.once('data', resolve))
    }
    assert.equal(await get(add(), '/health/live'), true)
  })

  it('refuses further connections while all serve a request, and accepts again when one has ended', async () => {
    const served = Array.from({ length: MAX }, () => get(add(), '/hanging'))
    await until('all are served', () => hanging.size === MAX)
    const refused = async () =>
      Number(/refused_total (\d+)/.exec(await running.deps.metrics.registry.metrics())?.[1])
    const before = await refused()
    assert.equal(await get(add(), '/health/live'), false)
    assert.equal(await refused(), before + 1)
    for (const respond of hanging) respond()
    assert.deepEqual(
      await Promise.all(served),
      Array.from({ length: MAX }, () => true),
    )
    await until('another connection is accepted', () => get(add(), '/health/live'))
  })
})

/** A console with an operation that responds with a body of its own to each request. */
async function useLargeResponses(environment: Record<string, string>) {
  const sockets: Socket[] = []
  // Before the console closes: it waits for its connections.
  after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const running = await useConsole({
    environment,
    extend: (app) => {
      const options = { config: { permission: 'authenticated' }, schema: { hide: true } } as const
      app.get('/large', options, (_request, reply) => reply.send(Buffer.alloc(BODY_BYTES, 'x')))
    },
  })
  return {
    ...running,
    /** Sends requests, and reads nothing until the test does. */
    ask: (token: string, requests = 1): Socket => {
      const socket = open(running).pause()
      sockets.push(socket)
      socket.write(
        `GET /large HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`.repeat(requests),
      )
      return socket
    },
    cutOffs: async (cause: 'stalled' | 'memory'): Promise<number> => {
      const text = await running.deps.metrics.registry.metrics()
      return Number(new RegExp(`cut_off_total\\{cause="${cause}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
    },
  }
}

function open({ url }: TestConsole): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Returns the number of bytes until the connection ends, or until the body is there. Pauses after each `step`. */
async function readToEnd(socket: Socket, step = Number.POSITIVE_INFINITY, pauseMs = 0): Promise<number> {
  let read = 0
  let sincePause = 0
  socket.on('data', count)
  function count(chunk: Buffer): void {
    read += chunk.length
    sincePause += chunk.length
    if (sincePause < step) return
    sincePause = 0
    socket.pause()
    setTimeout(() => socket.resume(), pauseMs)
  }
  socket.resume()
  await until('the body is there, or the connection is closed', () => read > BODY_BYTES || socket.closed)
  return read
}
