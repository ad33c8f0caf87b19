import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { onFreePort } from '../../../dev/free-port.ts'
import { listen, stopListening } from '../../../dev/http-service.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsole } from '../../support/console.ts'

const DEADLINE_MS = 1_000

describe('the deadline of a forwarded read', async () => {
  let isLate = false
  let received = 0
  /** While it is late, it loses the first connection, and responds to the retry after the deadline. */
  const upstream = createServer((request, response) => {
    received++
    const isFirst = received === 1
    const respond = () => (isLate && isFirst ? request.socket.destroy() : response.end('{}'))
    setTimeout(respond, isLate ? DEADLINE_MS * 0.7 : 0)
  })
  const port = await onFreePort((free) => listen(upstream, free, '127.0.0.1'))
  closeAfter(() => stopListening(upstream))
  const running = await useConsole({
    environment: {
      EVOLUTION_URL: `http://127.0.0.1:${port}`,
      EVOLUTION_DEADLINE_MS: String(DEADLINE_MS),
    },
  })
  const { token } = await running.person()

  it('includes its retry', async () => {
    const ask = () => running.request('GET', `/v1/evolution/status/${randomUUID()}`, { token })
    // Each call earns a tenth of a retry.
    for (let call = 0; call < 10; call++) assert.equal((await ask()).status, 200)
    isLate = true
    received = 0
    const { status } = await ask()
    assert.deepEqual({ status, received }, { status: 504, received: 2 })
  })
})
