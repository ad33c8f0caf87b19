import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Console } from '../src/index.ts'
import { sendJson, useScriptedServer } from './support/scripted-server.ts'

describe('an aborted call', () => {
  const reason = new Error('the caller has left')

  /** Aborts when `moment` resolves. */
  const abortAt = async (
    moment: Promise<unknown>,
    call: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> => {
    const leaving = new AbortController()
    void moment.then(() => leaving.abort(reason))
    const error = await call(leaving.signal).then(
      () => assert.fail('It did not reject'),
      (failure: unknown) => failure,
    )
    assert.equal(error, reason)
  }
  const options = { token: 'secret', retryDelayMs: 0 }

  it('rejects before the first request', async () => {
    const server = await useScriptedServer((response) => sendJson(response, 200, {}))
    const client = new Console({ ...options, baseUrl: server.url })
    const error = await client.me({ signal: AbortSignal.abort(reason) }).catch((failure: unknown) => failure)
    assert.equal(error, reason)
    assert.equal(server.requests.length, 0)
  })

  it('rejects while it waits for a token', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const token = () => {
      resolve()
      return new Promise<string>(() => {})
    }
    const client = new Console({ ...options, token, baseUrl: 'http://127.0.0.1:9' })
    await abortAt(asked, (signal) => client.me({ signal }))
  })

  it('rejects while it waits for the head of a response, and closes the connection', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const server = await useScriptedServer((response) => void response.on('close', resolve))
    const client = new Console({ ...options, baseUrl: server.url })
    await abortAt(server.arrived(1), (signal) => client.me({ signal }))
    await closed
    assert.equal(server.requests.length, 1)
  })

  it('rejects in the middle of a body', async () => {
    const { promise: written, resolve } = Promise.withResolvers<void>()
    const server = await useScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":', () => resolve())
    })
    const client = new Console({ ...options, baseUrl: server.url })
    await abortAt(written, (signal) => client.me({ signal }))
    assert.equal(server.requests.length, 1)
  })

  it('rejects while it waits before a repetition', async () => {
    const server = await useScriptedServer((response) =>
      sendJson(response, 503, { detail: 'x', code: 'overloaded' }, { 'retry-after': '59' }),
    )
    const { promise: failed, resolve } = Promise.withResolvers<void>()
    const client = new Console({ ...options, baseUrl: server.url, logger: () => resolve() })
    await abortAt(failed, (signal) => client.me({ signal }))
    assert.equal(server.requests.length, 1)
  })

  it('ends an iteration between and within pages', async () => {
    const server = await useScriptedServer((response, _, index) => {
      if (index < 2)
        sendJson(response, 200, { results: [{ id: `${index}` }], revisions: [1], next_cursor: 'n' })
    })
    const client = new Console({ ...options, baseUrl: server.url })
    const seen: string[] = []
    await abortAt(server.arrived(3), async (signal) => {
      for await (const { agent } of client.agents.iterate({}, { signal })) seen.push(agent.id)
    })
    assert.deepEqual(seen, ['0', '1'])
  })

  it('ends a watch and its connection', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const server = await useScriptedServer((response) => {
      response
        .on('close', resolve)
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(': hello\n\n')
    })
    const client = new Console({ ...options, baseUrl: server.url })
    await abortAt(server.arrived(1), (signal) => Array.fromAsync(client.agents.watch({ signal })))
    await closed
  })

  it('ends a watch that waits to connect again', async () => {
    const server = await useScriptedServer((response) =>
      sendJson(response, 503, { detail: 'x', code: 'events_unavailable' }, { 'retry-after': '59' }),
    )
    const { promise: interrupted, resolve } = Promise.withResolvers<void>()
    const client = new Console({ ...options, baseUrl: server.url })
    await abortAt(interrupted, (signal) =>
      Array.fromAsync(client.agents.watch({ signal, onState: () => resolve() })),
    )
  })
})
