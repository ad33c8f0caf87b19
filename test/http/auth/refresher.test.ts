import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createRefresher } from '../../../src/platform/outbound/source.ts'

const REFRESH_AFTER_MS = 30_000
const MAX_AGE_MS = 60_000
const COOLDOWN_MS = 10_000

/** A refresher with a clock that the test sets, and a source that responds when the test says so. */
function create() {
  const clock = { ms: 1_000_000 }
  const loads: { succeed: () => void; fail: () => void }[] = []
  const refresher = createRefresher({
    ...{ what: 'a copy', refreshAfterMs: REFRESH_AFTER_MS, maxAgeMs: MAX_AGE_MS, cooldownMs: COOLDOWN_MS },
    load: () =>
      new Promise<void>((resolve, reject) => {
        loads.push({ succeed: resolve, fail: () => reject(new Error('down')) })
      }),
    now: () => clock.ms,
    log: createLog('silent', { write: () => {} }),
  })
  /** Starts a load, ends it, and returns when the refresher knows. */
  const load = async (end: 'succeed' | 'fail') => {
    const loading = refresher.refreshUnlessCoolingDown()
    loads.at(-1)?.[end]()
    await loading
  }
  return { clock, loads, refresher, load }
}

describe('a refresher', () => {
  it('counts the age of the copy from the start of its load, because the source may have changed since', async () => {
    const { clock, loads, refresher } = create()
    const loading = refresher.refreshUnlessCoolingDown()
    clock.ms += 4_000
    loads[0]?.succeed()
    await loading
    assert.equal(refresher.ageMs(), 4_000)
  })

  it('keeps the age of the copy when a load fails', async () => {
    const { clock, refresher, load } = create()
    await load('succeed')
    clock.ms += REFRESH_AFTER_MS
    await load('fail')
    assert.deepEqual([refresher.ageMs(), refresher.state()], [REFRESH_AFTER_MS, 'down'])
  })

  it('lets a request wait for a copy that is too old, and all others while that load lasts', async () => {
    const { clock, loads, refresher, load } = create()
    await load('succeed')
    clock.ms += REFRESH_AFTER_MS - 1
    assert.equal(refresher.keepFresh(), undefined)
    assert.equal(loads.length, 1)
    clock.ms += 1
    assert.equal(refresher.keepFresh(), undefined, 'the copy is still good')
    assert.equal(loads.length, 2)
    clock.ms += MAX_AGE_MS - REFRESH_AFTER_MS
    const waiting = [refresher.keepFresh(), refresher.keepFresh()]
    assert.ok(waiting.every((wait) => wait !== undefined))
    assert.equal(loads.length, 2)
    loads[1]?.succeed()
    await Promise.all(waiting)
    assert.equal(refresher.keepFresh(), undefined, 'no request waits for the next load')
  })

  it('lets no request wait for a source that has just failed, and tries it again after the cool-down', async () => {
    const { clock, loads, refresher, load } = create()
    await load('succeed')
    clock.ms += MAX_AGE_MS
    await load('fail')
    assert.equal(refresher.keepFresh(), undefined)
    assert.equal(loads.length, 2)
    clock.ms += COOLDOWN_MS
    assert.equal(refresher.keepFresh(), undefined)
    assert.equal(loads.length, 3)
  })

  it('does not know whether a source is down that it has not asked for some time', async () => {
    const { clock, refresher, load } = create()
    await load('fail')
    clock.ms += 119_999
    assert.equal(refresher.state(), 'down')
    clock.ms += 1
    assert.equal(refresher.state(), 'unknown')
    await load('fail')
    assert.equal(refresher.state(), 'down')
    clock.ms += COOLDOWN_MS
    await load('succeed')
    clock.ms += 120_000
    assert.equal(refresher.state(), 'up')
  })

  it('lets a request wait again when the last failure is long ago', async () => {
    const { clock, loads, refresher, load } = create()
    await load('succeed')
    clock.ms += REFRESH_AFTER_MS
    await load('fail')
    clock.ms += MAX_AGE_MS
    const waiting = refresher.keepFresh()
    assert.ok(waiting)
    loads[2]?.fail()
    await waiting
    assert.equal(refresher.keepFresh(), undefined)
  })
})
