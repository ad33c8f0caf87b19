import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBreaker, RESET_MS } from '../../src/platform/upstream/breaker.ts'

describe('a breaker', () => {
  /** A breaker with a clock that the test sets. */
  const create = () => {
    const clock = { ms: 5_000 }
    const states: string[] = []
    const breaker = createBreaker(
      () => clock.ms,
      (state) => states.push(state),
    )
    const send = (verdict: 'succeeded' | 'failed' | 'abandoned', count = 1) => {
      for (let n = 0; n < count; n++) breaker.report(breaker.permit() as number, verdict)
    }
    return { breaker, clock, states, send }
  }

  it('opens when more than half of at least ten requests of the last second failed', () => {
    const { breaker, clock, send } = create()
    send('failed', 9)
    assert.equal(breaker.state(), 'closed', 'nine requests are too few')
    clock.ms += 1_000
    send('succeeded', 10)
    send('failed', 10)
    assert.equal(breaker.state(), 'closed', 'the failures of an earlier second do not count')
    send('failed')
    assert.equal(breaker.state(), 'open')
  })

  it('does not count an abandoned request', () => {
    const { breaker, send } = create()
    send('abandoned', 1_000)
    send('failed', 9)
    assert.equal(breaker.state(), 'closed', 'nine requests are too few')
    send('failed')
    assert.equal(breaker.state(), 'open', 'ten of ten failed')
  })

  it('allows one probe per reset time while the probes fail or are abandoned', () => {
    const { breaker, clock, states, send } = create()
    send('failed', 10)
    for (const verdict of ['failed', 'abandoned', 'failed'] as const) {
      clock.ms += RESET_MS - 1
      assert.equal(breaker.permit(), undefined)
      assert.equal(breaker.allows(), false)
      clock.ms += 1
      assert.equal(breaker.allows(), true)
      const probe = breaker.permit() as number
      assert.equal(breaker.state(), 'half_open')
      clock.ms += 10 * RESET_MS
      assert.equal(breaker.permit(), undefined, 'the probe has not ended')
      breaker.report(probe, verdict)
      assert.equal(breaker.state(), 'open')
    }
    assert.deepEqual(states, ['open', 'half_open', 'open', 'half_open', 'open', 'half_open', 'open'])
  })

  it('closes when a probe succeeds, and forgets earlier failures', () => {
    const { breaker, clock, send } = create()
    send('failed', 10)
    clock.ms += RESET_MS
    send('succeeded')
    assert.equal(breaker.state(), 'closed')
    send('failed', 9)
    assert.equal(breaker.state(), 'closed')
  })

  it('ignores requests that began in an earlier state', () => {
    const { breaker, clock, send } = create()
    const early = breaker.permit() as number
    send('failed', 10)
    clock.ms += RESET_MS
    breaker.permit()
    breaker.report(early, 'succeeded')
    assert.equal(breaker.state(), 'half_open')
  })
})
