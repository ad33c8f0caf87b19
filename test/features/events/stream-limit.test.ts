import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import type { Caller } from '../../../src/api/caller.ts'
import { RecentEvents } from '../../../src/features/watch/broadcaster.ts'
import { formatPosition } from '../../../src/features/watch/subscriber.ts'
import { Watch } from '../../../src/features/watch/watch.ts'
import { createMetrics } from '../../../src/platform/observe/metrics.ts'

it('teams share the event streams, and one that ends or fails makes room', async () => {
  const current = { createdAt: 1, epoch: 1, recent: new RecentEvents(1) }
  const watch = new Watch({
    broadcaster: { now: () => current, attach: () => {} },
    stream: {
      state: async () => ({ createdAt: 1, firstSequence: 1, lastSequence: 0 }),
      lastEpoch: async () => 1,
      read: () => assert.fail('All events are in memory'),
    },
    metrics: createMetrics(),
    maxStreams: 2,
  })
  const open = (teamId: string, lastEventId?: string) =>
    watch.open({ teamId } as Caller, { agentIds: undefined, lastEventId, endWithToken: () => () => {} })
  const ofAnotherStream = formatPosition({ createdAt: 2, epoch: 1, sequence: 0 })

  for (let n = 0; n < 3; n++) await assert.rejects(open('a', ofAnotherStream), { code: 'position_expired' })
  const first = await open('a')
  await assert.rejects(open('a'), { code: 'too_many_requests' })
  await open('b')
  await assert.rejects(open('c'), { code: 'overloaded' })
  await once(first.destroy(), 'close')
  await open('c')
})
