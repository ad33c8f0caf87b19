import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useConsole } from '../../test/support/console.ts'
import { sized } from '../../test/support/sized.ts'
import { ApiError, ConnectionFailed } from '../src/index.ts'
import { type Fault, useBreakingProxy } from './support/breaking-proxy.ts'
import { OPERATIONS } from './support/operations.ts'
import { createScene, nameIsStored, type Operation } from './support/scene.ts'
import { attempt, inParallel, METHODS, type Outcome } from './support/trial.ts'

/** So many positions of each response; `npm run proof -- breaks --long` cuts at every byte and returns every status. */
const POSITIONS = sized(2, 1_000_000)
const IS_COMPLETE = POSITIONS > 100

/** Statuses that pass. A 429 says that the console has changed nothing. */
const PASSING = [408, 429, 502, 503, 504]
/** In CI one of each kind: a redirect, a final error, a conflict, a fault of the console, and two that pass. */
const STATUSES = IS_COMPLETE
  ? [301, 304, 307, 400, 401, 403, 404, 405, 409, 410, 412, 413, 422, 500, ...PASSING]
  : [307, 404, 412, 500, 429, 503]

describe('a connection that breaks', async () => {
  const running = await useConsole()
  const proxy = await useBreakingProxy(running.url)
  const createWorld = async () => {
    const shared = await createScene(running)
    await nameIsStored(shared)
    return { running, proxy, shared }
  }

  it('has a case for every operation of the document', () => {
    const called = [...Object.keys(OPERATIONS), 'watchAgentConfigurations', 'refreshAgentCard']
    assert.deepEqual(called.toSorted(), [...METHODS.keys()].toSorted())
  })

  for (const [name, operation] of Object.entries(OPERATIONS)) {
    it(`neither loses nor repeats ${name} when the response is cut off`, async (t) => {
      const world = await createWorld()
      const whole = await attempt(world, [name, operation])
      assert.ifError(whole.error)
      assert.equal(whole.changes, operation.count ? 1 : 0)
      const { length } = whole.planned
      const isJson = !name.startsWith('export')
      const faults: Fault[] = [
        { kind: 'refused' },
        ...positions(length).map(
          (missing, index): Fault => ({
            kind: 'cut',
            missing,
            // A text that is not JSON needs its length: without it, no client can tell that it is cut off.
            length: index % 2 === 0 || !isJson ? 'declared' : 'by end of connection',
          }),
        ),
      ]
      await inParallel(faults, async (fault) => {
        const outcome = await attempt(world, [name, operation], fault)
        checkCut(operation, fault, whole, outcome)
      })
      t.diagnostic(`${faults.length} cuts of ${length} bytes`)
    })

    it(`neither loses nor repeats ${name} after an error`, async () => {
      const world = await createWorld()
      await operation.prepare?.(world.shared)
      const mayBeHandled = (status: number) => status !== 429 && status !== 412
      const faults = STATUSES.flatMap((status): Fault[] => [
        { kind: 'status', status, isHandled: false },
        ...(mayBeHandled(status) ? [{ kind: 'status', status, isHandled: true } as const] : []),
      ])
      await inParallel(faults, async (fault) => {
        checkStatus(operation, fault, await attempt(world, [name, operation], fault))
      })
    })
  }
})

function checkCut({ isRepeated, count }: Operation, fault: Fault, whole: Outcome, outcome: Outcome): void {
  const about = JSON.stringify({ fault, error: String(outcome.error) })
  const isHandled = fault.kind === 'cut'
  if (isRepeated) {
    assert.ifError(outcome.error)
    assert.equal(outcome.planned.tries, 2, about)
    // The result of a change has ids and times of its own.
    if (!count) assert.deepEqual(outcome.result, whole.result, about)
    assert.equal(outcome.changes, count ? 1 : 0, about)
  } else {
    assert.ok(outcome.error instanceof ConnectionFailed, about)
    assert.equal(outcome.planned.tries, 1, about)
    assert.equal(outcome.changes, isHandled ? 1 : 0, about)
  }
}

function checkStatus(operation: Operation, fault: Fault, { error, planned, changes }: Outcome): void {
  assert.ok(fault.kind === 'status')
  const about = JSON.stringify({ fault, error: String(error) })
  const { status, isHandled } = fault
  // `edit` reads the agent again after a 412. fetch reports a redirect as a failed connection.
  const isEdited = status === 412 && operation === OPERATIONS['updateAgentConfiguration']
  const isPassing = PASSING.includes(status) || status === 301 || status === 307 || isEdited
  if (isPassing && operation.isRepeated) {
    assert.ifError(error)
    assert.equal(planned.tries, 2, about)
    assert.equal(changes, operation.count ? 1 : 0, about)
    return
  }
  assert.equal(planned.tries, 1, about)
  assert.equal(changes, isHandled && operation.count ? 1 : 0, about)
  if (status === 301 || status === 307) assert.ok(error instanceof ConnectionFailed, about)
  else assert.ok(error instanceof ApiError && error.status === status, about)
}

/** Numbers of missing bytes, from the last one to all of them. */
function positions(length: number): number[] {
  const count = Math.min(length, POSITIONS)
  return Array.from({ length: count }, (_, index) => 1 + Math.floor((index * (length - 1)) / (count - 1)))
}
