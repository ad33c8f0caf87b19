import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { Problem } from '../../src/contract/problem.ts'
import { createExports, type ExportsOptions } from '../../src/platform/fairness/exports.ts'
import { createFairQueue } from '../../src/platform/fairness/fair-queue.ts'
import { until } from '../support/until.ts'

const PAGES = 10

describe('an export', () => {
  // The timer of a queue does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  after(() => clearInterval(alive))

  const create = (options: Partial<ExportsOptions> = {}) => {
    const queue = createFairQueue({ places: 1, maxWaiting: 10, maxWaitMs: 50, now: () => performance.now() })
    const exports = createExports({ queue, retryMs: 1, ...options })
    const state = { reads: 0, hasEnded: false, end: () => {} }
    const start = (
      team = 'a',
      page = (n: number) => ({ text: `${n}\n`, next: n < PAGES ? n + 1 : undefined }),
    ) =>
      exports.start<number>({
        team,
        read: async (position = 1) => {
          state.reads++
          await new Promise((resolve) => setImmediate(resolve))
          return page(position)
        },
        endWithToken: (end) => {
          state.end = end
          return () => void (state.hasEnded = true)
        },
      })
    return { queue, exports, state, start }
  }
  const ALL = Array.from({ length: PAGES }, (_, n) => `${n + 1}\n`).join('')

  it('has all pages in order, also those without a text', async () => {
    const { start, state } = create()
    assert.equal(await text(await start()), ALL)
    assert.deepEqual([state.reads, state.hasEnded], [PAGES, true])
    const sparse = (n: number) => ({ text: n === 5 ? 'x' : '', next: n < PAGES ? n + 1 : undefined })
    assert.equal(await text(await start('a', sparse)), 'x')
    assert.equal(await text(await start('a', () => ({ text: '', next: undefined }))), '')
  })

  it('reads no page ahead that the client does not take, and holds no place', async () => {
    const { start, state, queue } = create()
    const stream = await start()
    for (let taken = 1; taken <= 3; taken++) {
      await new Promise((resolve) => stream.once('readable', resolve))
      stream.read()
      await until('no place is held', () => queue.count().running === 0)
      assert.ok(state.reads <= taken + 2, `${state.reads} pages after ${taken} reads`)
    }
    stream.destroy()
  })

  it('waits while others have the places, and gives up some day', async () => {
    const { start, queue } = create({ retries: 3 })
    const other = { team: 'b', onPlace: () => {}, onRefusal: () => {} }
    queue.enter(other)
    const stream = await start()
    await assert.rejects(text(stream), { code: 'overloaded' })
    const patient = create({ retries: 1_000 })
    patient.queue.enter(other)
    const waiting = text(await patient.start())
    await until('it waits', () => patient.queue.count().waiting === 1)
    patient.queue.release(other)
    assert.equal(await waiting, ALL)
  })

  it('stops reading when its client is gone, its token ends or the process does', async () => {
    const endless = () => ({ text: '', next: 1 })
    for (const how of ['client', 'token', 'process']) {
      const { start, state, exports, queue } = create()
      const stream = await start('a', endless)
      const outcome = text(stream).catch((error: Error) => error)
      await until('it reads', () => state.reads > 5)
      if (how === 'client') stream.destroy()
      if (how === 'token') state.end()
      if (how === 'process') exports.close()
      assert.ok((await outcome) instanceof Error, 'it does not look complete')
      await until('it has stopped', () => queue.count().running === 0)
      const { reads } = state
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.ok(state.reads <= reads + 1, how)
    }
  })

  it('waits for no place when its client is gone', async () => {
    const { start, queue } = create()
    queue.enter({ team: 'b', onPlace: () => {}, onRefusal: () => {} })
    const stream = await start()
    const outcome = text(stream).catch((error: Error) => error)
    await until('it waits', () => queue.count().waiting === 1)
    stream.destroy()
    assert.equal(queue.count().waiting, 0)
    assert.ok((await outcome) instanceof Error, 'it does not look complete')
  })

  it('breaks off if a page cannot be read; the first page fails the request', async () => {
    const { start, exports } = create({ max: 4 })
    const failing = (at: number) => (n: number) => {
      if (n === at) throw new Problem('database_unavailable')
      return { text: `${n}`, next: n + 1 }
    }
    await assert.rejects(text(await start('a', failing(3))), { code: 'database_unavailable' })
    // Each of them gives its room back.
    for (let n = 0; n < 10; n++)
      await assert.rejects(start('a', failing(1)), { code: 'database_unavailable' })
    exports.close()
  })

  it('is refused if there are too many, first those of a team that has many', async () => {
    const { start, exports } = create({ max: 4 })
    const first = await start('a')
    const others = [await start('a'), await start('b')]
    await assert.rejects(start('a'), { code: 'too_many_requests' })
    await assert.rejects(start('b'), { code: 'too_many_requests' })
    first.destroy()
    await once(first, 'close')
    assert.equal(await text(await start('b')), ALL)
    for (const stream of others) stream.on('error', () => {})
    exports.close()
  })
})
