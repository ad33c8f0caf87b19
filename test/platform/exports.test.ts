import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { Problem } from '../../src/api/problem.ts'
import { Exports } from '../../src/platform/responses.ts'
import { until } from '../support/until.ts'

const PAGES = 10

describe('an export', () => {
  const create = () => {
    const exports = new Exports()
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
    return { exports, state, start }
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

  it('reads no page ahead that the client does not take', async () => {
    const { start, state } = create()
    const stream = await start()
    for (let taken = 1; taken <= 3; taken++) {
      await new Promise((resolve) => stream.once('readable', resolve))
      stream.read()
      assert.ok(state.reads <= taken + 2, `${state.reads} pages after ${taken} reads`)
    }
    stream.destroy()
  })

  it('stops reading when its client is gone, its token ends or the process does', async () => {
    const endless = () => ({ text: '', next: 1 })
    for (const how of ['client', 'token', 'process']) {
      const { start, state, exports } = create()
      const stream = await start('a', endless)
      const outcome = text(stream).catch((error: Error) => error)
      await until('it reads', () => state.reads > 5)
      if (how === 'client') stream.destroy()
      if (how === 'token') state.end()
      if (how === 'process') exports.close()
      assert.ok((await outcome) instanceof Error, 'it does not look complete')
      const { reads } = state
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      assert.ok(state.reads <= reads + 1, how)
    }
  })

  it('breaks off if a page cannot be read; the first page fails the request', async () => {
    const { start } = create()
    const failing = (at: number) => (n: number) => {
      if (n === at) throw new Problem('database_unavailable')
      return { text: `${n}`, next: n + 1 }
    }
    await assert.rejects(text(await start('a', failing(3))), { code: 'database_unavailable' })
    // Each of them gives its place back.
    for (let n = 0; n < 100; n++)
      await assert.rejects(start('a', failing(1)), { code: 'database_unavailable' })
  })

  it('is refused if there are too many, first those of a team that has many', async () => {
    const { start, exports } = create()
    const streams = []
    for (let n = 0; n < 16; n++) streams.push(await start('a'))
    await assert.rejects(start('a'), { code: 'too_many_requests' })
    streams.push(await start('b'))
    streams[0]?.destroy()
    await once(streams[0] as NonNullable<(typeof streams)[0]>, 'close')
    assert.equal(await text(await start('b')), ALL)
    for (const stream of streams) stream.on('error', () => {})
    exports.close()
  })
})
