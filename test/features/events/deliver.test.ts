import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deliver } from '../../../src/features/events/deliver.ts'
import type { OutboxEvent } from '../../../src/features/events/outbox.ts'

/** A stream that loses some messages, answers in any order, and notes what arrived. */
function createLossyStream(isLost: (event: number) => boolean) {
  const arrived: string[] = []
  let sent = 0
  return {
    arrived,
    publish: async (_address: unknown, id: string) => {
      const number = sent++
      await new Promise((resolve) => setTimeout(resolve, (number * 7) % 3))
      if (isLost(number)) throw new Error('lost')
      arrived.push(id)
      return { sequence: arrived.length, isDuplicate: false }
    },
  }
}

function eventOf(agentId: string, revision: number): OutboxEvent {
  const payload = { fields: [], changed_by: randomUUID(), changed_at: 0 }
  return {
    teamId: randomUUID(),
    agentId,
    revision,
    id: `${agentId}:${revision}`,
    action: 'updated',
    payload,
  }
}

const batchOf = (events: OutboxEvent[]) => ({ events, epoch: 1, position: { createdAt: 0, lastSequence: 0 } })
const OPTIONS = { deadline: Number.POSITIVE_INFINITY, isCompared: true }

describe('a batch of events', () => {
  it('never arrives with a gap within an agent, whatever gets lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }),
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        async (agents, losses) => {
          const revisions = new Map<string, number>()
          const events = agents.map((agent) => {
            const revision = (revisions.get(`${agent}`) ?? 0) + 1
            revisions.set(`${agent}`, revision)
            return eventOf(`${agent}`, revision)
          })
          const stream = createLossyStream((number) => losses[number] === true)
          const { delivered, failure } = await deliver(stream, batchOf(events), OPTIONS)
          assert.deepEqual(delivered.map(({ id }) => id).toSorted(), stream.arrived.toSorted())
          assert.equal(failure === undefined, delivered.length === events.length)
          for (const agent of revisions.keys()) {
            const ofAgent = stream.arrived.filter((id) => id.startsWith(`${agent}:`))
            assert.deepEqual(
              ofAgent,
              ofAgent.map((_, index) => `${agent}:${index + 1}`),
            )
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is held up by an event that is never taken for its own agent only, even if it is the first, and says which it is', async () => {
    const events = [1, 2, 3].flatMap((revision) => [
      eventOf('a', revision),
      eventOf('b', revision),
      eventOf('c', revision),
    ])
    const arrived: string[] = []
    const publish = async (_address: unknown, id: string) => {
      if (id === 'a:1' || id === 'b:2') throw new Error('never')
      arrived.push(id)
      return { sequence: arrived.length, isDuplicate: false }
    }
    const { delivered, failure } = await deliver({ publish }, batchOf(events), OPTIONS)
    assert.deepEqual(arrived.toSorted(), ['b:1', 'c:1', 'c:2', 'c:3'])
    assert.equal(delivered.length, 4)
    assert.match((failure as Error).message, /a:1/)
  })
})
