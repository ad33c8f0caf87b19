import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgents } from '../support/delivery-writers.ts'
import { createTestNats } from '../support/nats.ts'
import { startConsoleProcess } from '../support/processes.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'
import { startUpdates } from '../support/updates-at-a-rate.ts'
import { canBeWatched, watch } from '../support/watching.ts'
import { startTimedDatabase } from './commit-times.ts'

const SECONDS = sized(4, 20)
const PER_SECOND = 500
const AGENTS = 1_000
const LIMIT_MS = 50

/** What has just started is still being compiled while it runs. */
const WARM_UP_SECONDS = 4

describe('a change of an agent', () => {
  it(`is seen within ${LIMIT_MS} ms of its commit (p99) at ${PER_SECOND} updates a second`, async (t) => {
    const [nats, database] = await Promise.all([createTestNats(), startTimedDatabase()])
    const running = await startConsoleProcess({
      LOG_LEVEL: 'error',
      DATABASE_URL: database.url,
      ...nats.environment,
    })
    try {
      const { url } = running
      const token = await running.token()
      const ids = await createAgents({ url, token, writers: 16, isUp: async () => {} }, AGENTS)
      await canBeWatched(url, token)
      const [subscriber, watcher] = await Promise.all([nats.collect(), watch(url, { token })])

      const agents = ids.map((id) => ({ id, token }))
      const writing = startUpdates({ url, agents, perSecond: PER_SECOND })
      await sleep(WARM_UP_SECONDS * 1_000)
      const beganAt = performance.now()
      await sleep(SECONDS * 1_000)
      const all = await writing.stop()
      await watcher.waitFor(all.length)
      await until('all is delivered', () => subscriber.events.length >= AGENTS + all.length)
      await subscriber.stop()
      watcher.stop()

      const updates = all.filter(({ sentAt }) => sentAt >= beganAt)
      const committed = await database.commitTimes()
      const sinceCommit = (seen: Map<string, number>) =>
        updates
          .map(({ id, revision }) => `${id}:${revision}`)
          .map((event) => (seen.get(event) ?? Infinity) - (committed.get(event) ?? 0))
      const toSubscriber = sinceCommit(
        new Map(subscriber.events.map(({ messageId, seenAt }) => [messageId, seenAt])),
      )
      const toWatcher = sinceCommit(new Map(watcher.seen.map(({ event, seenAt }) => [event.id, seenAt])))
      const answers = updates.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
      t.diagnostic(`${(updates.length / SECONDS).toFixed(0)} updates a second, answered ${spread(answers)}`)
      t.diagnostic(`from commit to a subscriber of the stream: ${spread(toSubscriber)}`)
      t.diagnostic(`from commit to a watcher over HTTP: ${spread(toWatcher)}`)
      const p99 = quantile(toSubscriber, 0.99)
      assert.ok(p99 < LIMIT_MS * SLACK, `p99 ${p99} ms`)
    } finally {
      await running.close()
      await Promise.all([nats.remove(), database.remove()])
    }
  })
})

function spread(times: number[]): string {
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1))
  return `p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`
}
