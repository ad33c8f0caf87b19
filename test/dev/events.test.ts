import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteStream } from '../../dev/run/events.ts'
import { openEventStream } from '../support/event-stream.ts'
import { createTestNats } from '../support/nats.ts'

describe('npm run dev -- --reset', () => {
  it('deletes the stream of the dropped database, and no other', async (t) => {
    const [nats, other] = await Promise.all([createTestNats(), createTestNats()])
    t.after(() => Promise.all([nats.remove(), other.remove()]))
    for (const each of [nats, other]) await (await openEventStream(each)).close()
    const url = nats.environment['NATS_URL'] as string
    await deleteStream(url, nats.stream)
    await deleteStream(url, nats.stream)
    assert.equal(await nats.info(), undefined)
    assert.notEqual(await other.info(), undefined)
  })
})
