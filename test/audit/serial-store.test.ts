import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TeamEvent } from '../../src/audit/refusals.ts'
import { createSerialStore } from '../../src/audit/serial-store.ts'

describe('the store of refusals', () => {
  const event = (id: string, team = 'a') => ({ team_id: team, id }) as TeamEvent

  /** Stores nothing until `finish`. */
  const hold = (maxWaiting?: number) => {
    const batches: string[][] = []
    const lost: string[] = []
    let finish = (_isStored: boolean) => {}
    const store = createSerialStore({
      insert: (events) => {
        batches.push(events.map(({ id }) => id))
        return new Promise((resolve) => {
          finish = resolve
        })
      },
      onLost: ({ id }) => lost.push(id),
      ...(maxWaiting === undefined ? {} : { maxWaiting }),
    })
    return { store, batches, lost, finish: (isStored: boolean) => finish(isStored) }
  }
  const nextTurn = () => new Promise(setImmediate)

  it('runs one statement at a time, and puts what comes meanwhile into the next', async () => {
    const { store, batches, finish } = hold()
    const first = store([event('1')])
    await nextTurn()
    const second = store([event('2'), event('3', 'b')])
    const third = store([event('4')])
    await nextTurn()
    assert.deepEqual(batches, [['1']])
    finish(true)
    assert.equal(await first, true)
    await nextTurn()
    assert.deepEqual(batches, [['1'], ['2', '3', '4']])
    finish(false)
    assert.deepEqual(await Promise.all([second, third]), [false, false])
    assert.equal(await store([]), true)
  })

  it('holds a limited number of events, shared by the teams', async () => {
    const { store, batches, lost, finish } = hold(8)
    const first = store(['1', '2', '3', '4', '5'].map((id) => event(id)))
    await nextTurn()
    assert.deepEqual([batches, lost], [[['1', '2', '3', '4']], ['5']])
    const other = store([event('6', 'b')])
    finish(true)
    assert.equal(await first, false)
    await nextTurn()
    finish(true)
    assert.equal(await other, true)
    const again = store([event('7')])
    await nextTurn()
    finish(true)
    assert.equal(await again, true)
  })
})
