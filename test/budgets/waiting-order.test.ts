import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRequestBudgets, type RequestBudgetsDeps } from '../../src/budgets/service.ts'
import { createWaiting } from '../../src/budgets/waiting.ts'
import type { Caller } from '../../src/platform/identity/identity.ts'
import { until } from '../support/until.ts'

it('a request that may wait does not overtake those that wait already', async (t) => {
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
  const request = async (name: string, count: number) => {
    await budgets.take(caller, 'agent', { count, priority: 'interactive', max_wait_ms: 5_000 }, signal)
    order.push(name)
  }

  const first = request('first', 5)
  await until('the first request waits', () => waiting.count() === 1)
  free = 1
  const second = request('second', 1)
  await sleep(20)
  assert.deepEqual(order, [])
  free = 6
  await Promise.all([first, second])
  assert.deepEqual(order, ['first', 'second'])
})
