import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecentEvents } from '../../../src/features/watch/broadcaster.ts'
import type { StoredEvent } from '../../../src/platform/nats/stream.ts'

const MOST_EVENTS = 10_000

const event = (sequence: number, size = 1): StoredEvent => ({
  ...{ sequence, teamId: 'team', agentId: 'agent', epoch: 1 },
  json: Buffer.alloc(size),
})

const sequencesAfter = (recent: RecentEvents, sequence: number) =>
  recent.after(sequence).map((each) => each.sequence)

describe('the recent events of a stream', () => {
  it('are the newest ones, of which each new one replaces one', () => {
    const recent = new RecentEvents(7)
    assert.deepEqual([recent.lastSequence, recent.after(0)], [6, []])
    for (let sequence = 7; sequence <= 25_000; sequence++) {
      recent.add(event(sequence))
      const kept = recent.lastSequence - recent.firstSequence + 1
      assert.equal(kept, Math.min(sequence - 6, MOST_EVENTS))
    }
    assert.equal(recent.lastSequence, 25_000)
    const all = Array.from({ length: MOST_EVENTS }, (_, index) => 15_001 + index)
    assert.deepEqual(sequencesAfter(recent, 0), all)
  })

  it('are read from any sequence on', () => {
    const recent = new RecentEvents(9_998)
    for (let sequence = 9_998; sequence <= 10_003; sequence++) recent.add(event(sequence))
    assert.deepEqual(sequencesAfter(recent, 9_999), [10_000, 10_001, 10_002, 10_003])
    assert.deepEqual(sequencesAfter(recent, 10_003), [])
  })

  it('take 16 MiB at most', () => {
    const recent = new RecentEvents(1)
    for (let sequence = 1; sequence <= 40; sequence++) recent.add(event(sequence, 1024 * 1024))
    assert.deepEqual([recent.firstSequence, recent.lastSequence], [25, 40])
    recent.add(event(41, 4 * 1024 * 1024))
    assert.deepEqual(sequencesAfter(recent, 0), [29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41])
  })
})
