import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { Problem } from '../../src/api/problem.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import {
  type BackgroundWriterOptions,
  createBackgroundWriter,
} from '../../src/platform/postgres/background-writer.ts'
import { until } from '../support/until.ts'

interface Entry {
  team_id: string
  id: string
  content: string
}

const entryOf = (
  team_id: string,
  { id = randomUUID(), content = '' }: { id?: string; content?: string } = {},
): Entry => ({
  ...{ team_id, id, content },
})

/** A writer whose database does what the test says. */
function start(options: Partial<BackgroundWriterOptions<Entry>> = {}) {
  const stored: Entry[] = []
  const batches: number[] = []
  const lines: string[] = []
  const state = { fault: undefined as Error | undefined, dropped: 0 }
  const writer = createBackgroundWriter<Entry>({
    what: 'things',
    insert: async (entries) => {
      if (state.fault) throw state.fault
      batches.push(entries.length)
      stored.push(...entries)
    },
    countDropped: (count) => void (state.dropped += count),
    log: createLog('debug', { write: (line) => void lines.push(line) }),
    ...{ delayMs: 1, retryMs: 5, ...options },
  })
  after(() => writer.close())
  return { writer, stored, batches, lines, state }
}

describe('the background writer', () => {
  it('stores entries in batches, in their order', async () => {
    const { writer, stored, batches } = start({ batchSize: 4 })
    const entries = Array.from({ length: 10 }, () => entryOf('a'))
    for (const entry of entries) void writer.add(entry)
    assert.deepEqual(stored, [])
    await until('all are stored', async () => stored.length === 10)
    assert.deepEqual(stored, entries)
    assert.deepEqual(batches, [4, 4, 2])
  })

  it('keeps them while the database is down, and says so once', async () => {
    const { writer, stored, lines, state } = start()
    state.fault = new Problem('database_unavailable')
    void writer.add(entryOf('a'))
    await until('it has failed', async () => lines.length > 0)
    void writer.add(entryOf('a'))
    state.fault = undefined
    await until('both are stored', async () => stored.length === 2)
    assert.equal(lines.filter((line) => line.includes('cannot store things')).length, 1)
    assert.equal(state.dropped, 0)
  })

  it('tells when the database was tried with an entry, also in vain', async () => {
    const { writer, stored, state } = start({ delayMs: 0 })
    await writer.add(entryOf('a'))
    assert.equal(stored.length, 1)
    state.fault = new Problem('database_unavailable')
    await writer.add(entryOf('a'))
    assert.equal(stored.length, 1)
  })

  it('holds a limited number, shared by the teams, and counts and logs what is lost', async () => {
    const { writer, stored, lines, state } = start({ maxWaiting: 10 })
    state.fault = new Problem('database_unavailable')
    for (let count = 0; count < 20; count++) void writer.add(entryOf('greedy'))
    void writer.add(entryOf('modest'))
    assert.equal(state.dropped, 15)
    await until('the loss is logged', async () => lines.some((line) => line.includes('things are lost')))
    state.fault = undefined
    await until('the others are stored', async () => stored.length === 6)
    assert.deepEqual(
      stored.map(({ team_id }) => team_id),
      [...Array.from({ length: 5 }, () => 'greedy'), 'modest'],
    )
    // There is room again.
    for (let count = 0; count < 5; count++) void writer.add(entryOf('greedy'))
    await until('these are stored, too', async () => stored.length === 11)
    assert.equal(state.dropped, 15)
  })

  it('gives up a batch that the database refuses for good, and goes on', async () => {
    const { writer, stored, state } = start()
    state.fault = new Error('no partition for this row')
    void writer.add(entryOf('a'))
    await until('it is given up', async () => state.dropped === 1)
    state.fault = undefined
    void writer.add(entryOf('a'))
    await until('the next one is stored', async () => stored.length === 1)
  })

  it('stores what waits when it is closed, or counts it as lost', async () => {
    const first = start({ delayMs: 60_000 })
    void first.writer.add(entryOf('a'))
    await first.writer.close()
    assert.equal(first.stored.length, 1)
    const second = start({ delayMs: 60_000 })
    second.state.fault = new Problem('database_unavailable')
    void second.writer.add(entryOf('a'))
    await second.writer.close()
    assert.equal(second.state.dropped, 1)
  })

  describe('of entries that are renewed', () => {
    const renew = {
      ...{ key: ({ team_id, id }: Entry) => `${team_id} ${id}`, content: (entry: Entry) => entry.content },
      ...{ afterMs: 60_000, maxKeys: 2 },
    }
    const contents = ({ stored }: { stored: Entry[] }) => stored.map(({ content }) => content)

    it('stores an entry again only if it has changed', async () => {
      const started = start({ renew })
      for (const content of ['a', 'a', 'b', 'b', 'a'])
        void started.writer.add(entryOf('t', { id: '1', content }))
      await until('all changes are stored', () => contents(started).join() === 'a,b,a')
      void started.writer.add(entryOf('t', { id: '1', content: 'a' }))
      await started.writer.close()
      assert.deepEqual(contents(started), ['a', 'b', 'a'])
    })

    it('stores it again after some time', async () => {
      const started = start({ renew: { ...renew, afterMs: 1 } })
      void started.writer.add(entryOf('t', { id: '1' }))
      await until('it is stored twice', () => {
        void started.writer.add(entryOf('t', { id: '1' }))
        return started.stored.length >= 2
      })
    })

    it('remembers a limited number', async () => {
      const started = start({ renew })
      for (const id of ['1', '2', '3', '1']) void started.writer.add(entryOf('t', { id, content: id }))
      await started.writer.close()
      assert.deepEqual(contents(started), ['1', '2', '3', '1'])
    })

    it('stores one again that was lost', async () => {
      const started = start({ renew })
      started.state.fault = new Error('refused for good')
      void started.writer.add(entryOf('t', { id: '1', content: 'a' }))
      await until('it is lost', () => started.state.dropped === 1)
      started.state.fault = undefined
      void started.writer.add(entryOf('t', { id: '1', content: 'a' }))
      await until('it is stored', () => started.stored.length === 1)
    })
  })
})
