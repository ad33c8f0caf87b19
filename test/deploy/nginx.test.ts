import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { describe, it } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { fetch } from 'undici'
import { onFreePort } from '../../dev/free-port.ts'
import { listen } from '../../dev/http-service.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsoleWithNats } from '../support/console-with-nats.ts'
import { type Proxy, startProxy } from '../support/nginx.ts'
import { until } from '../support/until.ts'
import { canBeWatched } from '../support/watching.ts'

const MAX_PER_ADDRESS = 256
const MIB = 1024 * 1024

interface Sent {
  method?: string
  body?: string
  headers?: Record<string, string>
}

describe('deploy/nginx', async () => {
  const { running } = await useConsoleWithNats()
  const person = await running.person()
  const proxy = await startProxy([running.url])
  closeAfter(() => proxy.stop())

  const send = (path: string, { headers, ...init }: Sent = {}, by: Proxy = proxy) =>
    fetch(by.url + path, {
      dispatcher: by.dispatcher,
      ...init,
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
    })
  /** A client that sends the beginning of a request, and nothing more. */
  const begin = async (head: string, localAddress: string): Promise<TLSSocket> => {
    const port = Number(new URL(proxy.url).port)
    const plain = connectPlain({ port, host: '127.0.0.1', localAddress })
    const socket = connect({ socket: plain, rejectUnauthorized: false })
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    socket.write(head)
    return socket
  }

  it('passes reads and changes on', async () => {
    const body = JSON.stringify({ agent_name: 'a', model_name: 'm' })
    const created = await send(COLLECTION, { method: 'POST', body })
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: string }
    const changed = await send(`${COLLECTION}/${id}`, { method: 'PUT', body: '{"agent_name":"b"}' })
    assert.equal(changed.status, 200)
    const read = await send(`${COLLECTION}/${id}`)
    assert.equal(((await read.json()) as { agent_name: string }).agent_name, 'b')
    assert.ok(read.headers.get('x-request-id'))
  })

  it('passes an event on at once, and a heading before the first one', async () => {
    await canBeWatched(running.url, person.token)
    const { id } = await createAgent(running, person)
    const stream = await send(`${COLLECTION}/events?agent_ids=${id}`)
    assert.equal(stream.status, 200)
    await putAgent(running, person, id, { agent_name: 'new' })
    let text = ''
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('console.agent.updated')) break
    }
  })

  it('passes an export, long headers and a body of 4 MiB, and refuses a larger one in the form of the console', async () => {
    const exported = await send(`${COLLECTION}/export?format=ndjson`, {
      headers: { 'x-long': 'x'.repeat(12_000) },
    })
    assert.equal(exported.status, 200)
    assert.match(await exported.text(), /"agent_name"/)
    const whole = await send('/v1/agent-imports?dry_run=true', { method: 'POST', body: ' '.repeat(4 * MIB) })
    assert.equal(whole.status, 422)
    const larger = await send('/v1/agent-imports', { method: 'POST', body: ' '.repeat(4 * MIB + 1) })
    assert.equal(larger.status, 413)
    assert.equal(((await larger.json()) as { code: string }).code, 'body_too_large')
  })

  it('limits the requests of an address, and no other address', async () => {
    const upload = `PUT ${COLLECTION}/x HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nx`
    const slow = await Promise.all(Array.from({ length: MAX_PER_ADDRESS }, () => begin(upload, '127.0.0.2')))
    try {
      await until('the next one is refused', async () => {
        // On a busy machine the first ones have timed out before the last one is there.
        slow.push(await begin(upload, '127.0.0.2'))
        const socket = await begin(
          'GET /health/live HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
          '127.0.0.2',
        )
        const response = Buffer.concat(await socket.toArray()).toString()
        return /^HTTP\/1.1 429 [^]*Retry-After: 1\r\n[^]*"code":"too_many_requests"/.test(response)
      })
      assert.equal((await send('/health/live')).status, 200)
    } finally {
      for (const socket of slow) socket.destroy()
    }
  })

  it('repeats a read at another replica when one breaks it off, and never a change', async () => {
    const broken: string[] = []
    const server = createServer((request) => {
      broken.push(request.method ?? '')
      request.socket.destroy()
    })
    const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
    // The one that breaks has the first turn.
    for (const [method, status] of [
      ['GET', 200],
      ['PUT', 502],
      ['DELETE', 502],
    ] as const) {
      const pair = await startProxy([`http://127.0.0.1:${port}`, running.url])
      const { id } = await createAgent(running, person)
      const body = method === 'PUT' ? '{"agent_name":"b"}' : undefined
      const response = await send(`${COLLECTION}/${id}`, { method, ...(body && { body }) }, pair)
      await response.bytes()
      assert.equal(response.status, status, method)
      await pair.stop()
    }
    server.close()
    assert.deepEqual(broken, ['GET', 'PUT', 'DELETE'])
  })
})
