import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../scripts/seed/random.ts'
import { seedOr, sized } from '../support/sized.ts'
import { createDevPlace, type DevPlace, isReady } from './dev-process.ts'

const TIMES = sized(2, 20)
const SEED = seedOr(randomInt(2 ** 31))

describe(`npm run dev, interrupted at ${TIMES} moments of its start (--seed ${SEED})`, () => {
  const random = createRandom(SEED)
  let place: DevPlace
  /** How long a start takes on this machine, now. */
  let startMs: number

  before(async () => {
    place = await createDevPlace()
    const startedAt = performance.now()
    const first = place.start(OWN)
    await isReady(first)
    startMs = performance.now() - startedAt
    first.signal('SIGTERM')
    assert.equal(await first.ended, 0, first.output())
  })
  after(() => place.remove())

  // With servers of its own, there is most to end. PGHOST would name another.
  const OWN = { DEV_SERVERS: 'own', PGHOST: '', PGUSER: '', PGDATABASE: '', NATS_URL: '' }

  for (let time = 1; time <= TIMES; time++) {
    const moment = random.next()
    const signal = random.pick(['SIGINT', 'SIGTERM'] as const)
    const isFirstStart = random.next() < 0.3
    const isTwice = random.next() < 0.3
    const words = `${isFirstStart ? 'the first start' : 'a start'} by ${signal}${isTwice ? ', twice' : ''}`
    it(`leaves nothing of ${words} at ${Math.round(moment * 100)} % of its time`, async () => {
      const dev = place.start(OWN, ...(isFirstStart ? ['--reset'] : []))
      await Promise.race([delay(moment * startMs), dev.ended])
      dev.signal(signal)
      if (isTwice) {
        await Promise.race([delay(400), dev.ended])
        dev.signal(signal)
      }
      const code = await dev.ended
      // A signal before the first line of code ends it as any process.
      assert.ok(code === 0 || (code === null && dev.output() === ''), `${code}: ${dev.output()}`)
      assert.deepEqual(await place.leftovers(), [], dev.output())
      assert.equal(existsSync(place.file('lock')), false)
    })
  }

  it('starts after all of it, and ends the servers that a killed start left, even if it needs none of its own', async () => {
    const killed = place.start(OWN)
    await isReady(killed)
    killed.signal('SIGKILL')
    await killed.ended
    const dev = place.start()
    await isReady(dev)
    dev.signal('SIGINT')
    assert.equal(await dev.ended, 0, dev.output())
    assert.deepEqual(await place.leftovers(), [])
  })
})
