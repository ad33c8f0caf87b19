import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

describe('a process whose event loop is late', async () => {
  const running = await useConsole({ limits: { maxEventLoopDelayMs: 50 } })
  const { token } = await running.person()
  const list = () => running.request('GET', '/v1/agent-configurations', { token })

  it('refuses requests, serves health checks, and recovers', async () => {
    assert.equal((await list()).status, 200)
    const block = setInterval(() => {
      const endAt = performance.now() + 200
      while (performance.now() < endAt);
    }, 10)
    try {
      await until('it refuses', async () => (await list()).status === 503)
      const refused = await list()
      assert.equal(refused.status, 503)
      assert.deepEqual([refused.body.code, refused.headers.get('retry-after')], ['overloaded', '1'])
      assert.match(refused.headers.get('x-request-id') ?? '', /./)
      assert.equal((await running.request('GET', '/health/ready')).status, 200)
    } finally {
      clearInterval(block)
    }
    await until('it has recovered', async () => (await list()).status === 200)
  })
})
