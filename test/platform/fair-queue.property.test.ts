import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createFairQueue, type QueueEntry } from '../../src/platform/fairness/fair-queue.ts'

type Action =
  | { kind: 'enter'; team: string; key: string | undefined }
  | { kind: 'release' | 'cancel' | 'yield'; index: number }

const key = fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 2 })
const enter = fc.record({
  kind: fc.constant('enter' as const),
  team: fc.constantFrom('a', 'b', 'c', 'd'),
  key,
})
const leave = fc.record({
  kind: fc.constantFrom('release' as const, 'release' as const, 'cancel' as const, 'yield' as const),
  index: fc.nat(20),
})
/** More entries than releases, so that entries wait. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: enter },
  { weight: 2, arbitrary: leave },
)
/** Actions that follow each other before the queue gives the places that came back. */
const actions = fc.array(action, { minLength: 1, maxLength: 3 })

interface Tracked extends QueueEntry {
  state: 'new' | 'waiting' | 'running' | 'gone'
  /** The places that each other team got while this entry was the next of its team. */
  passedBy: Map<string, number>
}

/** Tracks what the queue does, beside the queue itself. */
class Observer {
  readonly violations: string[] = []
  private readonly entries: Tracked[] = []

  withState(state: Tracked['state']): Tracked[] {
    return this.entries.filter((entry) => entry.state === state)
  }

  add(team: string, key: string | undefined): Tracked {
    const entry: Tracked = {
      team,
      key,
      state: 'new',
      passedBy: new Map(),
      onPlace: () => this.observePlace(entry),
      onRefusal: () => this.violations.push('an entry was refused'),
    }
    this.entries.push(entry)
    return entry
  }

  /** The entry waits again, behind the others of its team. */
  moveBehind(entry: Tracked): void {
    this.entries.splice(this.entries.indexOf(entry), 1)
    this.entries.push(entry)
    entry.state = 'waiting'
    entry.passedBy.clear()
  }

  busyKeys(): string[] {
    return this.withState('running')
      .filter((entry) => entry.key !== undefined)
      .map((entry) => `${entry.team} ${entry.key}`)
  }

  /** For each team, the oldest entry that could take a place. */
  nextOfTeams(): Map<string, Tracked> {
    const busy = this.busyKeys()
    const next = new Map<string, Tracked>()
    for (const entry of this.withState('waiting')) {
      const isBlocked = entry.key !== undefined && busy.includes(`${entry.team} ${entry.key}`)
      if (!isBlocked && !next.has(entry.team)) next.set(entry.team, entry)
    }
    return next
  }

  private observePlace(entry: Tracked): void {
    if (entry.state !== 'new' && entry.state !== 'waiting')
      this.violations.push('an entry got a place that it did not wait for')
    for (const [team, next] of this.nextOfTeams()) {
      // An entry with a key waits for another entry first, so its turn begins later.
      if (team === entry.team || next.key !== undefined) continue
      const times = (next.passedBy.get(entry.team) ?? 0) + 1
      next.passedBy.set(entry.team, times)
      if (times > 1) this.violations.push(`${entry.team} got ${times} places before the turn of ${team}`)
    }
    entry.state = 'running'
  }
}

async function run(places: number, steps: Action[][]): Promise<void> {
  // No limit is reached: the limits have their own tests.
  const queue = createFairQueue({ places, maxWaiting: 1_000, maxWaitMs: 60_000, now: () => 0 })
  const observer = new Observer()

  const check = async () => {
    await Promise.resolve()
    const [running, waiting, keys] = [
      observer.withState('running'),
      observer.withState('waiting'),
      observer.busyKeys(),
    ]
    assert.deepEqual(observer.violations, [])
    assert.deepEqual(queue.count(), { running: running.length, waiting: waiting.length })
    assert.ok(running.length <= places, 'there are no more places')
    assert.equal(new Set(keys).size, keys.length, 'a key has one place')
    const isEmptyPlace = running.length < places && observer.nextOfTeams().size > 0
    assert.ok(!isEmptyPlace, 'no place is empty while an entry could take it')
  }

  for (const step of steps) {
    for (const one of step) {
      if (one.kind === 'enter') {
        const entry = observer.add(one.team, one.key)
        queue.enter(entry)
        if (entry.state === 'new') entry.state = 'waiting'
      } else {
        const candidates = observer.withState(one.kind === 'cancel' ? 'waiting' : 'running')
        const entry = candidates[one.index % candidates.length]
        if (!entry) continue
        if (one.kind === 'yield') {
          if (queue.yield(entry)) observer.moveBehind(entry)
          continue
        }
        entry.state = 'gone'
        queue[one.kind](entry)
      }
    }
    await check()
  }
  // Nothing is lost: every waiting entry gets its place in the end.
  for (let entry = observer.withState('running')[0]; entry; entry = observer.withState('running')[0]) {
    entry.state = 'gone'
    queue.release(entry)
    await check()
  }
  assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
}

describe('a fair queue, whatever happens', () => {
  it('keeps places and keys, gives teams their turns, loses nothing and leaves no place empty', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(actions, { maxLength: 60, size: 'max' }),
        run,
      ),
      { numRuns: 300 },
    )
  })
})
