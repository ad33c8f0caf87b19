import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import type { Behind } from '../../support/behind.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { until } from '../../support/until.ts'

/** More than the buffers of all sockets on the way, so that the call cannot end before its client reads. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)

describe('a call whose response waits behind another one of its connection', async () => {
  const { running, behind, upstream } = await useMounted({
    operations: [operation(), operation({ method: 'POST', operationId: 'PostThing' })],
    deadlineMs: 60_000,
  })
  const things = behind['things'] as Behind

  /** Opens an event stream, sends a change behind it, and disconnects after the service has responded to both. */
  const disconnectBehindStream = async (token: string, body: Buffer | string) => {
    let changed: ServerResponse | undefined
    things.behave((request, response) => {
      if (request.method !== 'POST')
        return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      changed = response
      response.end(body)
    })
    const { hostname, port, host } = new URL(running.url)
    const socket = connect(Number(port), hostname)
    const head = `/v1/things/7 HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n`
    socket.write(`GET ${head}\r\nPOST ${head}content-length: 2\r\n\r\n{}`)
    await until('the service has the change', () => changed?.headersSent === true)
    socket.destroy()
  }
  const inFlight = async () => {
    const text = await running.core.metrics.registry.metrics()
    return Number(/^console_upstream_in_flight\{upstream="things"\} (\d+)$/m.exec(text)?.[1])
  }

  it('is in the audit log, and holds no slot after the client has disconnected', async () => {
    const person = await running.person()
    for (const body of ['{}', LARGE]) await disconnectBehindStream(person.token, body)
    await until('both calls are in the audit log', async () => {
      const { body } = await running.request<{ results: AuditEvent[] }>('GET', '/v1/audit-events', person)
      return body.results.filter(({ action }) => action === 'service_called').length === 2
    })
    await until('no call is in flight', async () => (await inFlight()) === 0)
    await until('the service has lost its connections', () => things.openSockets() === 0)
    assert.equal(upstream('things').state(), 'up')
  })
})
