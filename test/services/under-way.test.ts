import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUnderWay } from '../../src/services/under-way.ts'

describe('work under way', () => {
  it('has settled once all of it is done, well or badly', async () => {
    const { track, settled } = createUnderWay()
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const told: string[] = []
    void track(one.promise).then(() => told.push('one'))
    track(two.promise).catch(() => told.push('two'))
    const all = settled().then(() => told.push('settled'))
    one.resolve()
    await Promise.resolve()
    two.reject(new Error('broken'))
    await all
    assert.deepEqual(told, ['one', 'two', 'settled'])
  })

  it('is not waited for when none of it comes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { track, settled } = createUnderWay()
    void track(new Promise(() => {}))
    const all = settled()
    t.mock.timers.tick(2_000)
    await all
  })

  it('that begins later is not waited for', async () => {
    const { track, settled } = createUnderWay()
    const all = settled()
    void track(new Promise(() => {}))
    await all
  })
})
