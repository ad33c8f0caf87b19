import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { onFreePort } from '../../../dev/free-port.ts'
import { COLLECTION, createAgent } from '../../support/agents.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsole } from '../../support/console.ts'
import { useRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

/** A way to Redis that can lose its connections without closing them, as a firewall does. */
async function startProxy(url: string) {
  const { hostname, port } = new URL(url)
  const clients = new Set<Socket>()
  let opened = 0
  const server = createServer((client) => {
    opened++
    clients.add(client)
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const own = await onFreePort(
    (free) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(free, '127.0.0.1', resolve)
      }),
  )
  return {
    url: `redis://127.0.0.1:${own}`,
    opened: () => opened,
    loseConnections: () => {
      for (const client of clients) client.unpipe().pause()
    },
    close: () => {
      for (const client of clients) client.destroy()
      server.close()
    },
  }
}

describe('a replica whose connection to Redis leads nowhere', async () => {
  const redis = await useRedis()
  const proxy = await startProxy(redis.environment['REDIS_URL'] ?? '')
  closeAfter(proxy.close)
  const running = await useConsole({
    environment: { ...redis.environment, REDIS_URL: proxy.url },
    limits: { redisMaxWaitMs: 100 },
  })
  const person = await running.person()

  it('makes a new one after some seconds', async () => {
    const fields = { rate_limit_requests_per_minute: 60_000_000 }
    const { id } = await createAgent(running, person, fields)
    const take = () =>
      running.request('POST', `${COLLECTION}/${id}/request-budget`, {
        ...{ token: person.token, json: { count: 1, priority: 'interactive' } },
      })
    const isCountedBy = async (by: string) => (await take()).body.counted_by === by
    await until('Redis counts', () => isCountedBy('redis'))
    const opened = proxy.opened()
    proxy.loseConnections()
    await until('the replica counts', () => isCountedBy('replica'))
    await until('Redis counts again', () => isCountedBy('redis'))
    assert.ok(proxy.opened() > opened)
  })
})
