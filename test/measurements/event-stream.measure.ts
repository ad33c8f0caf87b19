import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { agentEvent } from '../support/agent-event.ts'
import { closeAfter } from '../support/close-after.ts'
import { openEventStream } from '../support/event-stream.ts'
import { createTestNats } from '../support/nats.ts'
import { quantile } from '../support/timing.ts'

const EVENTS = 4_000
const ROUNDS = 5

describe('the event stream', async () => {
  const nats = await createTestNats()
  closeAfter(() => nats.remove())
  const events = await openEventStream(nats)
  closeAfter(() => events.close())
  const team = randomUUID()
  for (let sent = 0; sent < EVENTS; sent += 500) {
    await Promise.all(
      Array.from({ length: 500 }, () => {
        const agentId = randomUUID()
        const address = { teamId: team, agentId }
        return events.publish(address, agentId, JSON.stringify(agentEvent(address)))
      }),
    )
  }

  it('is read as fast from its middle as from its beginning', async () => {
    const perSecond = async (first: number) => {
      const startedAt = performance.now()
      const read = events.read(team, first, EVENTS, new AbortController().signal)
      const { length } = await Array.fromAsync(read)
      return (length * 1_000) / (performance.now() - startedAt)
    }
    const [fromStart, fromMiddle]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      fromStart.push(await perSecond(1))
      fromMiddle.push(await perSecond(EVENTS / 4))
    }
    const [start, middle] = [quantile(fromStart, 0.5), quantile(fromMiddle, 0.5)]
    assert.ok(middle > start / 5, `${middle} events a second, from the start ${start}`)
  })
})
