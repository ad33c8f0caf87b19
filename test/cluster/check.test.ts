import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StreamEvent } from '../support/nats.ts'
import { check, type Stored } from './check.ts'
import { type History, longestGap, type Try, type Write } from './history.ts'

const AGENT = 'a'
const OK: Try = { method: 'PUT', startedAt: 0, endedAt: 1, status: 200, code: undefined, retryAfter: null }

const write = (key: string, revision: number): Write => ({
  ...{ key, agent: AGENT, outcome: 'acknowledged', revision },
  ...{ startedAt: revision * 10, endedAt: revision * 10 + 5 },
})

const event = (revision: number): StreamEvent => ({
  ...{ sequence: revision, subject: `s.team.${AGENT}`, messageId: `${AGENT}:${revision}`, seenAt: 0 },
  body: { id: `${AGENT}:${revision}`, data: { agent_id: AGENT, revision } },
})

/** A creation and two edits. */
function sound(): { history: History; stored: Stored } {
  const keys = ['create', 'first', 'second']
  return {
    history: {
      tries: [
        OK,
        { ...OK, status: 503, code: 'outcome_unknown', retryAfter: '2' },
        { ...OK, status: undefined },
      ],
      writes: keys.map((key, n) => write(key, n + 1)),
      reads: [{ agent: AGENT, revision: 2, startedAt: 30 }],
    },
    stored: {
      revisions: keys.map((key, n) => ({ agent: AGENT, revision: n + 1, key, counter: n + 1 })),
      current: new Map([[AGENT, 3]]),
      events: [event(1), event(2), event(2), event(3)],
      ...{ team: 'team', subjectPrefix: 's' },
    },
  }
}

type Plant = (scene: { history: History; stored: Stored }) => void

const VIOLATIONS: Record<string, [violation: RegExp, plant: Plant]> = {
  'an acknowledged write that is lost': [
    /second was acknowledged as revision 3, and is lost/,
    ({ stored }) => {
      stored.revisions.pop()
      stored.events.pop()
      stored.current.set(AGENT, 2)
    },
  ],
  'an acknowledged write whose revision another one has': [
    /first was acknowledged as revision 2, and is lost/,
    ({ history, stored }) => {
      history.writes.push(write('other', 2))
      Object.assign(stored.revisions[1] ?? {}, { key: 'other' })
    },
  ],
  'a lost update': [
    /Revision 3 of a lost an update/,
    ({ stored }) => Object.assign(stored.revisions[2] ?? {}, { counter: 2 }),
  ],
  'a gap between revisions': [
    /Revision 4 of a follows 2/,
    ({ history, stored }) => {
      Object.assign(stored.revisions[2] ?? {}, { revision: 4 })
      Object.assign(history.writes[2] ?? {}, { revision: 4 })
    },
  ],
  'an agent that is behind its history': [
    /a has no revision 2/,
    ({ stored }) => stored.current.set(AGENT, 2),
  ],
  'a retry that is applied twice': [
    /first was applied 2 times/,
    ({ stored }) => Object.assign(stored.revisions[2] ?? {}, { key: 'first' }),
  ],
  'an outcome that stays unknown': [
    /The outcome of second stayed unknown/,
    ({ history }) => Object.assign(history.writes[2] ?? {}, { outcome: 'pending' }),
  ],
  'a refused write that is stored': [
    /second was refused, and is stored/,
    ({ history }) => Object.assign(history.writes[2] ?? {}, { outcome: 'refused' }),
  ],
  'a revision that no client wrote': [/No client wrote second/, ({ history }) => history.writes.pop()],
  'a read of an old revision': [
    /A read of a returned revision 2 after 3/,
    ({ history }) => Object.assign(history.reads[0] ?? {}, { startedAt: 36 }),
  ],
  'a 500': [
    /PUT: 500 internal/,
    ({ history }) => history.tries.push({ ...OK, status: 500, code: 'internal' }),
  ],
  'a 503 without Retry-After': [
    /PUT: 503 database_unavailable/,
    ({ history }) => history.tries.push({ ...OK, status: 503, code: 'database_unavailable' }),
  ],
  'an event that is missing': [/Events:/, ({ stored }) => stored.events.splice(1, 2)],
  'the last event that is missing': [/Events:/, ({ stored }) => stored.events.pop()],
  'events in another order': [/Events:/, ({ stored }) => (stored.events = stored.events.toReversed())],
}

describe('the checker of a history', () => {
  it('finds nothing in a sound one', () => {
    const { history, stored } = sound()
    assert.deepEqual(check(history, stored), [])
  })

  for (const [name, [violation, plant]] of Object.entries(VIOLATIONS)) {
    it(`finds ${name}`, () => {
      const scene = sound()
      plant(scene)
      assert.match(check(scene.history, scene.stored).join('\n'), violation)
    })
  }
})

describe('the longest gap', () => {
  it('lies between two moments, before the first or after the last', () => {
    assert.equal(longestGap([1, 2, 6, 7], 0, 8), 4)
    assert.equal(longestGap([5, 6], 0, 7), 5)
    assert.equal(longestGap([1, 2], 0, 9), 7)
    assert.equal(longestGap([], 3, 9), 6)
  })

  it('begins at the last moment before the time', () => {
    assert.equal(longestGap([1, 5, 6], 3, 6), 4)
  })
})
