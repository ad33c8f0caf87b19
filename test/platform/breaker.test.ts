import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Breaker, type Permit, RESET_MS, type Verdict } from '../../src/platform/upstream/breaker.ts'

/** A breaker with a clock that the test sets. */
function create() {
  const clock = { ms: 5_000 }
  const states: string[] = []
  const breaker = new Breaker(
    () => clock.ms,
    (state) => states.push(state),
  )
  const send = (team: string, verdict: Verdict, count = 1) => {
    for (let n = 0; n < count; n++) breaker.report(breaker.permit(team) as Permit, verdict)
  }
  /** The same from two teams, half of them each. */
  const sendOfTwo = (verdict: Verdict, count: number) => {
    for (let n = 0; n < count; n++) send(n % 2 ? 'a' : 'b', verdict)
  }
  return { breaker, clock, states, send, sendOfTwo }
}

describe('a breaker', () => {
  it('opens when more than half of at least ten requests of the last second failed', () => {
    const { breaker, clock, sendOfTwo } = create()
    sendOfTwo('failed', 9)
    assert.equal(breaker.state, 'closed', 'nine requests are too few')
    clock.ms += 1_000
    sendOfTwo('succeeded', 10)
    sendOfTwo('failed', 10)
    assert.equal(breaker.state, 'closed', 'the failures of an earlier second do not count')
    sendOfTwo('failed', 2)
    assert.equal(breaker.state, 'open')
  })

  it('does not count an abandoned request', () => {
    const { breaker, sendOfTwo } = create()
    sendOfTwo('abandoned', 1_000)
    sendOfTwo('failed', 9)
    assert.equal(breaker.state, 'closed', 'nine requests are too few')
    sendOfTwo('failed', 1)
    assert.equal(breaker.state, 'open', 'ten of ten failed')
  })

  it('stays closed for the failures of one team, also if another one has a few', () => {
    const { breaker, send, states } = create()
    send('a', 'failed', 100)
    assert.ok(breaker.permit('a'))
    send('b', 'succeeded', 3)
    send('b', 'failed', 2)
    send('a', 'failed', 10)
    assert.equal(breaker.state, 'closed', 'more requests of b succeed than fail')
    assert.deepEqual(states, [])
  })

  it('opens for one team alone if its requests find no connection', () => {
    const { breaker, send } = create()
    send('a', 'unreachable', 10)
    assert.equal(breaker.state, 'open')
    assert.equal(breaker.permit('b'), undefined)
  })

  it('allows each team one probe per reset time while no probe succeeds', () => {
    const { breaker, clock, send } = create()
    send('a', 'unreachable', 10)
    for (const verdict of ['failed', 'unreachable', 'abandoned'] as const) {
      clock.ms += RESET_MS - 1
      assert.equal(breaker.permit('a'), undefined)
      assert.equal(breaker.allows('a'), false)
      clock.ms += 1
      assert.equal(breaker.allows('a'), true)
      send('a', verdict)
      assert.equal(breaker.state, 'half_open')
      assert.equal(breaker.allows('a'), false, 'its probe failed')
      assert.equal(breaker.allows('b'), true, 'another team may try')
      send('b', verdict)
      assert.equal(breaker.allows('b'), false)
    }
  })

  it('closes when a probe succeeds, and forgets earlier failures', () => {
    const { breaker, clock, send, sendOfTwo, states } = create()
    sendOfTwo('failed', 10)
    clock.ms += RESET_MS
    send('a', 'failed')
    send('b', 'succeeded')
    assert.deepEqual(states, ['open', 'half_open', 'closed'])
    sendOfTwo('failed', 9)
    assert.equal(breaker.state, 'closed')
  })

  it('ignores requests that began in an earlier state', () => {
    const { breaker, clock, sendOfTwo } = create()
    const early = breaker.permit('a') as Permit
    sendOfTwo('failed', 10)
    clock.ms += RESET_MS
    breaker.permit('a')
    breaker.report(early, 'succeeded')
    assert.equal(breaker.state, 'half_open')
  })
})
