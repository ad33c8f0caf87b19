import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { type BackgroundWriterOptions, createBackgroundWriter } from '../../src/audit/background-writer.ts'
import type { TeamEvent } from '../../src/audit/refusals.ts'
import { Problem } from '../../src/contract/problem.ts'
import { createLog } from '../../src/platform/log.ts'
import { until } from '../support/until.ts'

const eventOf = (team_id: string): TeamEvent => ({
  ...{ team_id, id: randomUUID(), at: 1, user_id: team_id, action: 'service_called' },
  ...{ agent_id: null, request_id: 'r', detail: {} },
})

/** A writer whose database does what the test says. */
function start(options: Partial<BackgroundWriterOptions> = {}) {
  const stored: TeamEvent[] = []
  const batches: number[] = []
  const lines: string[] = []
  const state = { fault: undefined as Error | undefined, dropped: 0 }
  const writer = createBackgroundWriter({
    insert: async (events) => {
      if (state.fault) throw state.fault
      batches.push(events.length)
      stored.push(...events)
    },
    countDropped: (count) => void (state.dropped += count),
    log: createLog('debug', { write: (line) => void lines.push(line) }),
    ...{ delayMs: 1, retryMs: 5, ...options },
  })
  after(() => writer.close())
  return { writer, stored, batches, lines, state }
}

describe('the background writer of audit events', () => {
  it('stores events in batches, in their order', async () => {
    const { writer, stored, batches } = start({ batchSize: 4 })
    const events = Array.from({ length: 10 }, () => eventOf('a'))
    for (const event of events) writer.add(event)
    assert.deepEqual(stored, [])
    await until('all are stored', async () => stored.length === 10)
    assert.deepEqual(stored, events)
    assert.deepEqual(batches, [4, 4, 2])
  })

  it('keeps them while the database is down, and says so once', async () => {
    const { writer, stored, lines, state } = start()
    state.fault = new Problem('database_unavailable')
    writer.add(eventOf('a'))
    await until('it has failed', async () => lines.length > 0)
    writer.add(eventOf('a'))
    state.fault = undefined
    await until('both are stored', async () => stored.length === 2)
    assert.equal(lines.filter((line) => line.includes('cannot store audit events')).length, 1)
    assert.equal(state.dropped, 0)
  })

  it('holds a limited number, shared by the teams, and counts and logs what is lost', async () => {
    const { writer, stored, lines, state } = start({ maxWaiting: 10 })
    state.fault = new Problem('database_unavailable')
    for (let count = 0; count < 20; count++) writer.add(eventOf('greedy'))
    writer.add(eventOf('modest'))
    assert.equal(state.dropped, 15)
    await until('the loss is logged', async () => lines.some((line) => line.includes('are lost')))
    state.fault = undefined
    await until('the others are stored', async () => stored.length === 6)
    assert.deepEqual(
      stored.map(({ team_id }) => team_id),
      [...Array.from({ length: 5 }, () => 'greedy'), 'modest'],
    )
    // There is room again.
    for (let count = 0; count < 5; count++) writer.add(eventOf('greedy'))
    await until('these are stored, too', async () => stored.length === 11)
    assert.equal(state.dropped, 15)
  })

  it('gives up a batch that the database refuses for good, and goes on', async () => {
    const { writer, stored, state } = start()
    state.fault = new Error('no partition for this row')
    writer.add(eventOf('a'))
    await until('it is given up', async () => state.dropped === 1)
    state.fault = undefined
    writer.add(eventOf('a'))
    await until('the next one is stored', async () => stored.length === 1)
  })

  it('stores what waits when it is closed, or counts it as lost', async () => {
    const first = start({ delayMs: 60_000 })
    first.writer.add(eventOf('a'))
    await first.writer.close()
    assert.equal(first.stored.length, 1)
    const second = start({ delayMs: 60_000 })
    second.state.fault = new Problem('database_unavailable')
    second.writer.add(eventOf('a'))
    await second.writer.close()
    assert.equal(second.state.dropped, 1)
  })
})
