import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBreaker, type Permit, type Verdict } from '../../src/platform/breaker/breaker.ts'
import { RESET_MS } from '../../src/platform/breaker/circuit.ts'

/** A breaker with a clock that the test sets. */
function create() {
  const clock = { ms: 5_000 }
  const states: string[] = []
  const breaker = createBreaker(
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
    assert.equal(breaker.state(), 'closed', 'nine requests are too few')
    clock.ms += 1_000
    sendOfTwo('succeeded', 10)
    sendOfTwo('failed', 10)
    assert.equal(breaker.state(), 'closed', 'the failures of an earlier second do not count')
    sendOfTwo('failed', 2)
    assert.equal(breaker.state(), 'open')
  })

  it('does not count an abandoned request', () => {
    const { breaker, sendOfTwo } = create()
    sendOfTwo('abandoned', 1_000)
    sendOfTwo('failed', 9)
    assert.equal(breaker.state(), 'closed', 'nine requests are too few')
    sendOfTwo('failed', 1)
    assert.equal(breaker.state(), 'open', 'ten of ten failed')
  })

  it('allows one probe per reset time while the probes fail or are abandoned', () => {
    const { breaker, clock, states, send } = create()
    send('a', 'unreachable', 10)
    for (const verdict of ['failed', 'abandoned', 'unreachable'] as const) {
      clock.ms += RESET_MS - 1
      assert.equal(breaker.permit('a'), undefined)
      assert.equal(breaker.allows('a'), false)
      clock.ms += 1
      assert.equal(breaker.allows('a'), true)
      const probe = breaker.permit('a') as Permit
      assert.equal(breaker.state(), 'half_open')
      clock.ms += 10 * RESET_MS
      assert.equal(breaker.permit('a'), undefined, 'the probe has not ended')
      breaker.report(probe, verdict)
      assert.equal(breaker.state(), 'open')
    }
    assert.deepEqual(states, ['open', 'half_open', 'open', 'half_open', 'open', 'half_open', 'open'])
  })

  it('closes when a probe succeeds, and forgets earlier failures', () => {
    const { breaker, clock, send, sendOfTwo } = create()
    sendOfTwo('failed', 10)
    clock.ms += RESET_MS
    send('a', 'succeeded')
    assert.equal(breaker.state(), 'closed')
    sendOfTwo('failed', 9)
    assert.equal(breaker.state(), 'closed')
  })

  it('ignores requests that began in an earlier state', () => {
    const { breaker, clock, sendOfTwo } = create()
    const early = breaker.permit('a') as Permit
    sendOfTwo('failed', 10)
    clock.ms += RESET_MS
    breaker.permit('a')
    breaker.report(early, 'succeeded')
    assert.equal(breaker.state(), 'half_open')
  })
})

describe('a team whose requests fail', () => {
  it('opens the breaker for itself alone', () => {
    const { breaker, states, send } = create()
    send('a', 'failed', 10)
    assert.equal(breaker.permit('a'), undefined)
    assert.ok(breaker.permit('b'))
    assert.equal(breaker.countOpenTeams(), 1)
    assert.deepEqual(states, [])
  })

  it('does not open it for others with the help of a few failures of theirs', () => {
    const { breaker, send } = create()
    send('b', 'succeeded', 3)
    send('b', 'failed', 2)
    send('a', 'failed', 10)
    assert.equal(breaker.state(), 'closed', 'more requests of b succeed than fail')
    assert.ok(breaker.permit('b'))
  })

  it('gets one probe per reset time, and all again when it succeeds', () => {
    const { breaker, clock, send } = create()
    send('a', 'failed', 10)
    clock.ms += RESET_MS
    send('a', 'failed')
    assert.equal(breaker.permit('a'), undefined)
    clock.ms += RESET_MS
    const probe = breaker.permit('a') as Permit
    assert.equal(breaker.permit('a'), undefined, 'the probe has not ended')
    breaker.report(probe, 'succeeded')
    send('a', 'failed', 9)
    assert.ok(breaker.permit('a'))
  })

  it('is forgotten when many others have called since', () => {
    const { breaker, send } = create()
    send('a', 'failed', 10)
    for (let n = 0; n < 1_000; n++) send(`team ${n}`, 'succeeded')
    assert.ok(breaker.permit('a'))
  })
})

describe('an upstream that cannot be reached', () => {
  it('opens the breaker for all teams, whoever calls', () => {
    const { breaker, send } = create()
    send('a', 'unreachable', 10)
    assert.equal(breaker.state(), 'open')
    assert.equal(breaker.permit('b'), undefined)
  })
})

describe('probes', () => {
  it('go to another team that has asked after one of a team has failed', () => {
    const { breaker, clock, send } = create()
    send('a', 'unreachable', 10)
    clock.ms += RESET_MS
    const first = breaker.permit('a') as Permit
    assert.equal(breaker.allows('b'), false, 'b has asked')
    breaker.report(first, 'failed')
    clock.ms += RESET_MS
    assert.equal(breaker.permit('a'), undefined)
    send('b', 'succeeded')
    assert.equal(breaker.state(), 'closed')
  })

  it('go to the same team if no other has asked, or if the other does not come', () => {
    const { breaker, clock, send } = create()
    send('a', 'unreachable', 10)
    clock.ms += RESET_MS
    send('a', 'failed')
    clock.ms += RESET_MS
    assert.ok(breaker.allows('a'), 'no other has asked')
    send('a', 'failed')
    assert.equal(breaker.allows('b'), false)
    clock.ms += RESET_MS
    assert.equal(breaker.allows('a'), false, 'b comes first')
    clock.ms += RESET_MS
    assert.ok(breaker.allows('a'), 'b did not come')
  })

  it('reach every team that asks, before one sends a second', () => {
    const { breaker, clock, send } = create()
    send('a', 'unreachable', 10)
    const probed: string[] = []
    for (let round = 0; round < 6; round++) {
      for (const team of ['a', 'b', 'c']) breaker.allows(team)
      clock.ms += RESET_MS
      const team = ['a', 'b', 'c'].find((name) => breaker.allows(name)) as string
      probed.push(team)
      send(team, 'failed')
    }
    assert.deepEqual(probed.slice(0, 3).toSorted(), ['a', 'b', 'c'])
    assert.deepEqual(probed.slice(3).toSorted(), ['a', 'b', 'c'])
  })
})
