import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRequestBudgets, type RequestBudgetsDeps } from '../../src/budgets/service.ts'
import { createWaiting } from '../../src/budgets/waiting.ts'
import type { Caller } from '../../src/platform/identity/identity.ts'
import { until } from '../support/until.ts'

/** Request budgets with so many permits as a test says. */
function createScene(t: TestContext) {
  let free = 0
  const waiting = createWaiting()
  t.after(waiting.close)
  const take: RequestBudgetsDeps['ledger']['take'] = async (_, { count }) => {
    const isGranted = count <= free
    if (isGranted) free -= count
    return { isGranted, countedBy: 'replica', remaining: free, waitUs: 1_000, refund: () => {} }
  }
  const budgets = createRequestBudgets({
    limits: { find: async () => 600, forget: () => {} },
    ledger: { take } as RequestBudgetsDeps['ledger'],
    waiting,
    metrics: {} as RequestBudgetsDeps['metrics'],
    now: Date.now,
    countedBy: () => 'replica',
  })
  const order: string[] = []
  const { signal } = new AbortController()
  const caller = { teamId: 'team', clientId: null } as Caller
  return {
    waiting,
    order,
    free: (permits: number) => {
      free = permits
    },
    request: async (name: string, count: number, maxWaitMs = 5_000) => {
      const request = { count, priority: 'interactive' as const, max_wait_ms: maxWaitMs }
      await budgets.take(caller, 'agent', request, signal)
      order.push(name)
    },
  }
}

async function secondDoesNotOvertake(
  { order, free, request }: ReturnType<typeof createScene>,
  first: Promise<void>,
): Promise<void> {
  free(1)
  const second = request('second', 1)
  await sleep(20)
  assert.deepEqual(order, [])
  free(6)
  await Promise.all([first, second])
  assert.deepEqual(order, ['first', 'second'])
}

it('a request that may wait does not overtake those that wait already', async (t) => {
  const scene = createScene(t)
  const { waiting, request } = scene
  const first = request('first', 5)
  await until('the first request waits', () => waiting.count() === 1)
  await secondDoesNotOvertake(scene, first)
})

it('nor when the last of them has given up', async (t) => {
  const scene = createScene(t)
  const { waiting, request } = scene
  const first = request('first', 5)
  await until('the first request waits', () => waiting.count() === 1)
  await assert.rejects(request('impatient', 5, 10))
  assert.equal(waiting.count(), 1)
  await secondDoesNotOvertake(scene, first)
})

it('the result of a request is not kept while others wait', async (t) => {
  const { waiting } = createScene(t)
  const { signal } = new AbortController()
  const results: WeakRef<object>[] = []
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const run = (end: Promise<void>) => {
    const attempt = async () => {
      await end
      const result = {}
      results.push(new WeakRef(result))
      return { result, retryAfterMs: undefined }
    }
    const wait = { team: 'team', key: 'agent', firstAfterMs: 0, maxWaitMs: 60_000, signal, attempt }
    return waiting.until(wait).then(() => undefined)
  }
  const runs = ends.map(({ promise }) => run(promise))
  for (const [index, end] of ends.slice(0, 2).entries()) {
    end.resolve()
    await runs[index]
  }
  await until('the first result is collected', () => {
    globalThis.gc?.()
    return results[0]?.deref() === undefined
  })
  ends[2]?.resolve()
  await Promise.all(runs)
})
