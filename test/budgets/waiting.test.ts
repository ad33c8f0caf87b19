import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWaiting } from '../../src/budgets/waiting.ts'

const HOUR_MS = 3_600_000

describe('a request that waits for permits', () => {
  const { signal } = new AbortController()
  const wait = { team: 'team', key: 'key', firstAfterMs: 0, signal }
  const granted = { result: 'granted', retryAfterMs: undefined }

  it('is refused as soon as the permits would come too late', async (t) => {
    const waiting = createWaiting()
    t.after(waiting.close)
    let attempts = 0
    const result = await waiting.until({
      ...{ ...wait, maxWaitMs: 60_000 },
      attempt: async () => (attempts++ === 0 ? { result: 'refused', retryAfterMs: HOUR_MS } : granted),
    })
    assert.deepEqual([result, attempts, waiting.count()], ['refused', 1, 0])
  })

  it('tries again when it was told to, and stops when it has them', async (t) => {
    const waiting = createWaiting()
    t.after(waiting.close)
    let attempts = 0
    const result = await waiting.until({
      ...{ ...wait, maxWaitMs: 60_000 },
      attempt: async () => (++attempts < 3 ? { result: 'refused', retryAfterMs: 1 } : granted),
    })
    assert.deepEqual([result, attempts], ['granted', 3])
  })

  it('does not wait longer than it may for those before it', async (t) => {
    const waiting = createWaiting()
    t.after(waiting.close)
    const leaving = new AbortController()
    const first = waiting.until({
      ...{ ...wait, firstAfterMs: HOUR_MS, maxWaitMs: HOUR_MS, signal: leaving.signal },
      attempt: async () => ({ result: 'first', retryAfterMs: HOUR_MS }),
    })
    const second = await waiting.until({
      ...{ ...wait, maxWaitMs: 1 },
      attempt: async () => ({ result: 'second', retryAfterMs: HOUR_MS }),
    })
    assert.deepEqual([second, waiting.count()], ['second', 1])
    leaving.abort()
    assert.equal(await first, 'first')
  })

  it('takes its turn after those with the same key', async (t) => {
    const waiting = createWaiting()
    t.after(waiting.close)
    const order: string[] = []
    const one = (name: string, firstAfterMs: number, key = 'key') =>
      waiting.until({
        ...{ ...wait, key, firstAfterMs, maxWaitMs: 60_000 },
        attempt: async () => {
          order.push(name)
          return granted
        },
      })
    await Promise.all([one('first', 30), one('second', 0), one('other key', 0, 'other')])
    assert.deepEqual(order, ['other key', 'first', 'second'])
  })

  it('is not let in when too many wait, ends with its client, and ends when the console stops', async (t) => {
    const waiting = createWaiting(4)
    t.after(waiting.close)
    const leaving = new AbortController()
    const start = (team: string, ending = signal) => {
      let attempts = 0
      return waiting.until({
        ...{ ...wait, team, key: team, firstAfterMs: HOUR_MS, maxWaitMs: HOUR_MS, signal: ending },
        attempt: async () => (attempts++ === 0 ? { result: 'ended', retryAfterMs: 1 } : granted),
      })
    }
    const own = [start('a', leaving.signal), start('a')]
    assert.equal(await start('a'), undefined, 'half of the places are enough for a team')
    const other = start('b')
    assert.equal(waiting.count(), 3)
    leaving.abort()
    assert.equal(await own[0], 'ended')
    assert.equal(waiting.count(), 2)
    waiting.close()
    assert.deepEqual(await Promise.all([own[1], other]), ['ended', 'ended'])
    assert.equal(waiting.count(), 0)
  })
})
