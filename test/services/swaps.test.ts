import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Person } from '../support/console.ts'
import type { Behind } from './behind.ts'
import { type Mounted, operation, startMounted } from './mounted.ts'

describe('when what a service declares changes', () => {
  let mounted: Mounted
  let behind: Behind
  let person: Person
  const ask = (path: string) => mounted.running.request('GET', path, { token: person.token })

  before(async () => {
    mounted = await startMounted({ operations: [operation()] })
    behind = mounted.behind['things'] as Behind
    person = await mounted.running.person()
  })
  after(() => mounted.close())

  it('a request under way ends as it began', async () => {
    let release = () => {}
    behind.behave((_request, response) => {
      release = () => void response.end('late')
      mounted.mount([])
    })
    const underWay = ask('/v1/things/7')
    while (behind.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await ask('/v1/things/7')).status, 404)
    release()
    assert.equal((await underWay).text, 'late')
  })

  it('no request fails that was valid before and after', async () => {
    behind.behave((_request, response) => response.end('{}'))
    const statuses = new Map<number, number>()
    let going = true
    mounted.mount([operation()])
    const callers = Array.from({ length: 8 }, async () => {
      while (going) {
        const { status } = await ask('/v1/things/7')
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    for (let swap = 0; swap < 50; swap++) {
      mounted.mount([operation(), operation({ path: `/v1/things/${swap}/new` })])
      assert.equal((await ask(`/v1/things/${swap}/new`)).status, 200)
      assert.equal((await ask(`/v1/things/${swap - 1}/new`)).status, 404)
    }
    going = false
    await Promise.all(callers)
    assert.deepEqual([...statuses.keys()], [200])
  })
})

describe('while one service hangs', () => {
  it('another is answered as before, also with every call to the first in use', async () => {
    const mounted = await startMounted({
      services: ['stuck', 'things'],
      deadlineMs: 3_000,
      operations: [operation(), operation({ service: 'stuck', path: '/v1/stuck' })],
    })
    try {
      const { token } = await mounted.running.person()
      mounted.behind['stuck']?.behave(() => {})
      const stuck = Array.from({ length: 300 }, () => mounted.running.request('GET', '/v1/stuck', { token }))
      const startedAt = performance.now()
      for (let call = 0; call < 20; call++) {
        assert.equal((await mounted.running.request('GET', '/v1/things/7', { token })).status, 200)
      }
      assert.ok(performance.now() - startedAt < 2_900)
      const answers = await Promise.all(stuck)
      assert.ok(answers.every(({ status }) => status === 504 || status === 503))
    } finally {
      await mounted.close()
    }
  })
})
