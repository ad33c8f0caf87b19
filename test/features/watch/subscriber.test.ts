import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Subscriber } from '../../../src/features/watch/subscriber.ts'

describe('one who watches', () => {
  const create = () => new Subscriber({ teamId: 'team', agentIds: undefined, after: 0 })

  it('gets everything from before the end and nothing from after it, however late they read', async () => {
    const subscriber = create()
    subscriber.send(Buffer.from('before'))
    subscriber.end()
    subscriber.send(Buffer.from('after'))
    subscriber.end()
    assert.equal(Buffer.concat(await subscriber.body.toArray()).toString(), 'before')
    assert.equal(subscriber.wasCutOff, false)
  })

  it('is cut off who does not read up to the end', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const subscriber = create()
    subscriber.send(Buffer.from('unread'))
    subscriber.end()
    const closed = once(subscriber.body, 'close')
    t.mock.timers.tick(10_000)
    await closed
    assert.equal(subscriber.wasCutOff, true)
  })

  it('is not waited for once they have left', async () => {
    const subscriber = create()
    subscriber.send(Buffer.alloc(100_000))
    const waiting = subscriber.waitForDemand(60_000)
    subscriber.body.destroy()
    assert.equal(await waiting, true)
    assert.equal(subscriber.isClosed, true)
  })

  it('is cut off when too much waits for them', () => {
    const subscriber = create()
    for (let sent = 0; sent < 10; sent++) subscriber.send(Buffer.alloc(100_000))
    assert.deepEqual([subscriber.body.destroyed, subscriber.wasCutOff], [true, true])
  })
})
