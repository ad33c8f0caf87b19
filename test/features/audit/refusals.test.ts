import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../../src/api/uuid.ts'
import type { TeamEvent } from '../../../src/features/audit/queries.ts'
import { Refusals } from '../../../src/features/audit/refusals.ts'
import { COLLECTION, createAgent, putAgent } from '../../support/agents.ts'
import { startConsole, type TestConsole } from '../../support/console.ts'

interface Row {
  agent_id: string | null
  request_id: string
  detail: { permission: string; method: string; route: string; count?: number; since?: number }
}

const refusalsIn = ({ database }: TestConsole) =>
  database.query<Row>(
    `SELECT agent_id, request_id, detail FROM audit_events WHERE action = 'permission_refused' ORDER BY id`,
  )
const sumOf = (rows: Pick<Row, 'detail'>[]) => rows.reduce((sum, { detail }) => sum + (detail.count ?? 1), 0)

describe('refusals of one caller', () => {
  it('are one event at once and one with their number: 613 make a handful of rows', async (t) => {
    const running = await startConsole()
    t.after(() => running.close())
    const reader = await running.person({ scope: 'agent:read' })
    const owner = await running.person({ team: reader.team })
    const agents = [await createAgent(running, owner), await createAgent(running, owner)]
    for (let n = 0; n < 613; n += 20) {
      const batch = Array.from({ length: Math.min(20, 613 - n) }, async (_, i) => {
        const id = agents[(n + i) % 2]?.id ?? ''
        const reply = await putAgent(running, reader, id, {}, { 'x-request-id': `r${n + i}` })
        assert.equal(reply.status, 403)
      })
      await Promise.all(batch)
      if (n === 0) assert.equal((await refusalsIn(running)).length, 1, 'the first is stored at once')
    }
    // Another operation and another caller are counted for themselves.
    await running.request('DELETE', `${COLLECTION}/${agents[0]?.id}`, { token: reader.token })
    for (let n = 0; n < 3; n++)
      await putAgent(running, await running.person({ ...reader, scope: '' }), agents[1]?.id ?? '', {})
    await running.app.close()
    const rows = await refusalsIn(running)
    assert.equal(rows.length, 3, JSON.stringify(rows))
    assert.equal(sumOf(rows), 613 + 1 + 3)
    const counted = rows.find(({ detail }) => detail.count !== undefined)
    assert.deepEqual(counted?.detail, {
      permission: 'agent:write',
      method: 'PUT',
      route: `${COLLECTION}/:id`,
      count: 615,
      since: counted?.detail.since,
    })
    assert.equal(counted?.agent_id, null, 'they name two agents')
    assert.ok(Math.abs((counted?.detail.since ?? 0) - Date.now() / 1_000) < 120)
  })

  /** Time that the test moves. The timer looks every 5 ms. */
  const count = (t: { after: (work: () => Promise<void>) => void }, maxWindows?: number) => {
    const clock = { ms: 1_800_000_000_000 }
    const stored: TeamEvent[] = []
    const refusals = new Refusals({
      store: async (event) => void stored.push(event),
      now: () => clock.ms,
      newId,
      windowMs: 60,
      ...(maxWindows === undefined ? {} : { maxWindows }),
    })
    t.after(() => refusals.close())
    const refuse = (userId: string, agentId: string | null = null) =>
      refusals.record({
        caller: {
          userId,
          teamId: 'team',
          requestId: `request of ${userId}`,
          name: null,
          clientId: null,
          via: 'api',
        },
        ...{ permission: 'agent:write', method: 'PUT', route: '/', agentId },
      })
    const pass = async (ms: number) => {
      clock.ms += ms
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const seen = () => stored.map(({ user_id, detail }) => [user_id, detail['count'] ?? 1])
    return { refuse, pass, seen, stored, close: () => refusals.close() }
  }

  it('are stored at the end of each window while they go on, and at once after a quiet one', async (t) => {
    const { refuse, pass, seen, stored } = count(t)
    await refuse('a')
    await refuse('a', 'agent')
    await refuse('a', 'agent')
    await pass(59)
    assert.deepEqual(seen(), [['a', 1]])
    await pass(1)
    assert.deepEqual(seen().slice(1), [['a', 2]])
    assert.equal(stored[1]?.agent_id, 'agent', 'all of them name this agent')
    await refuse('a')
    await pass(60)
    assert.deepEqual(seen().slice(2), [['a', 1]])
    assert.equal(stored[2]?.detail['count'], 1)
    await pass(60)
    await refuse('a')
    assert.deepEqual(seen().slice(3), [['a', 1]])
    assert.equal(stored[3]?.detail['count'], undefined)
  })

  it('take a bounded memory: the oldest are stored to make room, and none is lost', async (t) => {
    const { refuse, seen, close } = count(t, 3)
    for (const user of ['a', 'b', 'c', 'd', 'a']) for (let n = 0; n < 4; n++) await refuse(user)
    await close()
    const sum = seen().reduce((total, [, n]) => total + Number(n), 0)
    assert.equal(sum, 20)
    assert.deepEqual(seen().slice(3, 6), [
      ['a', 3],
      ['d', 1],
      ['b', 3],
    ])
  })
})
