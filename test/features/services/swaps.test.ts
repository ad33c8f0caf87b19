import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Behind } from '../../support/behind.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { until } from '../../support/until.ts'

describe('when what a service declares changes', async () => {
  const mounted = await useMounted({ operations: [operation()] })
  const behind = mounted.behind['things'] as Behind
  const person = await mounted.running.person()
  const ask = (path: string) => mounted.running.request('GET', path, { token: person.token })

  it('a request in flight ends as it began', async () => {
    let release = () => {}
    behind.behave((_request, response) => {
      release = () => void response.end('late')
    })
    const inFlight = ask('/v1/things/7')
    await until('the service has the request', () => behind.asked.length > 0)
    await mounted.mount([])
    assert.equal((await ask('/v1/things/7')).status, 404)
    release()
    assert.equal((await inFlight).text, 'late')
  })

  it('no request fails that was valid before and after', async () => {
    behind.behave((_request, response) => response.end('{}'))
    const statuses = new Map<number, number>()
    let going = true
    await mounted.mount([operation()])
    const callers = Array.from({ length: 8 }, async () => {
      while (going) {
        const { status } = await ask('/v1/things/7')
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    for (let swap = 0; swap < 50; swap++) {
      await mounted.mount([operation(), operation({ path: `/v1/things/${swap}/new` })])
      assert.equal((await ask(`/v1/things/${swap}/new`)).status, 200)
      assert.equal((await ask(`/v1/things/${swap - 1}/new`)).status, 404)
    }
    going = false
    await Promise.all(callers)
    assert.deepEqual([...statuses.keys()], [200])
  })
})

describe('while one service hangs', async () => {
  const mounted = await useMounted({
    services: ['stuck', 'things'],
    deadlineMs: 60_000,
    operations: [operation(), operation({ service: 'stuck', path: '/v1/stuck' })],
  })
  const { token } = await mounted.running.person()

  it('another responds as before, even with every call to the first in use', async () => {
    const stuckService = mounted.behind['stuck'] as Behind
    stuckService.behave(() => {})
    const stuck = Array.from({ length: 300 }, () => mounted.running.request('GET', '/v1/stuck', { token }))
    let isStuck = true
    void Promise.race(stuck).finally(() => {
      isStuck = false
    })
    await until('the first has calls', () => stuckService.asked.length > 0)
    for (let call = 0; call < 20; call++) {
      assert.equal((await mounted.running.request('GET', '/v1/things/7', { token })).status, 200)
    }
    assert.ok(isStuck, 'a call to the first ended before those to the other')
    await stuckService.stop()
    const statuses = (await Promise.all(stuck)).map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 502 || status === 503))
  })
})
