import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { useConsole } from '../support/console.ts'

const CONNECTIONS = 40
const MIB = 2 ** 20

describe('connections that are kept after a request', async () => {
  const running = await useConsole()

  it('do not keep its body in memory', async (t) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    t.after(() => agent.destroy())
    const { token } = await running.person()
    const send = async () => {
      const sent = httpRequest(`${running.url}/v1/agent-configurations`, {
        ...{ method: 'POST', agent },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      sent.once('error', reject)
      sent.once('response', (response) => {
        text(response).then(() => resolve(response.statusCode ?? 0), reject)
      })
      // Too many characters for a name.
      sent.end(JSON.stringify({ agent_name: 'x'.repeat(MIB - 100), model_name: 'model' }))
      return promise
    }
    const held = () => {
      globalThis.gc?.()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    // Code and buffers that the first requests need.
    for (let n = 0; n < 10; n++) assert.equal(await send(), 422)
    const before = held()
    const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, send))
    assert.deepEqual(new Set(statuses), new Set([422]))
    assert.ok(Object.values(agent.freeSockets).flat().length > CONNECTIONS / 2, 'the connections are open')
    const grownMiB = (held() - before) / MIB
    t.diagnostic(`${grownMiB.toFixed(1)} MiB more after ${CONNECTIONS} bodies of 1 MiB`)
    assert.ok(grownMiB < CONNECTIONS / 2, `${grownMiB.toFixed(1)} MiB`)
  })
})
