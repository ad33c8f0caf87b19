import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Watcher } from '../../src/watch/watcher.ts'

describe('one who watches', () => {
  const create = () => new Watcher({ teamId: 'team', agentIds: undefined, after: 0 })

  it('gets everything from before the end and nothing from after it, however late they read', async () => {
    const watcher = create()
    watcher.send(Buffer.from('before'))
    watcher.end()
    watcher.send(Buffer.from('after'))
    watcher.end()
    assert.equal(Buffer.concat(await watcher.answer.toArray()).toString(), 'before')
    assert.equal(watcher.wasCutOff, false)
  })

  it('is cut off who does not read up to the end', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const watcher = create()
    watcher.send(Buffer.from('unread'))
    watcher.end()
    const closed = once(watcher.answer, 'close')
    t.mock.timers.tick(10_000)
    await closed
    assert.equal(watcher.wasCutOff, true)
  })

  it('is not waited for once they have left', async () => {
    const watcher = create()
    watcher.send(Buffer.alloc(100_000))
    const waiting = watcher.wantsMore(60_000)
    watcher.answer.destroy()
    assert.equal(await waiting, true)
    assert.equal(watcher.isGone, true)
  })

  it('is cut off when too much waits for them', () => {
    const watcher = create()
    for (let sent = 0; sent < 10; sent++) watcher.send(Buffer.alloc(100_000))
    assert.deepEqual([watcher.answer.destroyed, watcher.wasCutOff], [true, true])
  })
})
