import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { insertRevisions } from '../support/revisions.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK, timed } from '../support/timing.ts'
import { startUpdates } from '../support/updates-at-a-rate.ts'

/** `npm run proof -- growth --long` makes a million. The pages that PostgreSQL reads are compared in growth.proof.ts. */
const REVISIONS = sized(20_000, 1_000_000)
const FEW = 100
const ROUNDS = 50
const UPDATES_PER_SECOND = 100
const WINDOW_MS = 2_000

type Work = (subject: Subject) => Promise<void>

interface Subject {
  id: string
  revisions: number
}

describe(`an agent with ${REVISIONS} revisions`, async () => {
  const running = await useConsole()
  const person = await running.person()

  const makeAgent = async (revisions: number): Promise<Subject> => {
    const { id } = await createAgent(running, person, { purpose: 'first' })
    await insertRevisions(running.database, person, id, revisions)
    return { id, revisions }
  }
  const [short, long] = [await makeAgent(FEW), await makeAgent(REVISIONS)]
  await running.database.query('VACUUM (ANALYZE)')
  const send = async (method: string, path: string) => {
    const reply = await running.request(method, `${COLLECTION}/${path}`, { token: person.token })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
  }

  let round = 0
  const operations: Record<string, [work: Work, undo?: Work]> = {
    'the newest page of its revisions': [({ id }) => send('GET', `${id}/revisions?limit=10`)],
    'an old revision': [({ id }) => send('GET', `${id}/revisions/1`)],
    'a diff from end to end': [
      ({ id, revisions }) => send('GET', `${id}/revisions/${revisions}/diff?against=1`),
    ],
    // Another revision each time, so that each restore changes the agent.
    'a restore': [({ id }) => send('POST', `${id}/revisions/${1 + (round % 50)}/restore`)],
    'a DELETE': [({ id }) => send('DELETE', id), ({ id }) => send('POST', `${id}/recover`)],
  }
  for (const [what, [work, undo]] of Object.entries(operations)) {
    it(`takes for ${what} at most twice the time of one with ${FEW}`, async (t) => {
      const times = { short: [] as number[], long: [] as number[] }
      for (round = 0; round < 10 + ROUNDS; round++) {
        for (const [name, subject] of [
          ['short', short],
          ['long', long],
        ] as const) {
          const [ms = 0] = await timed(1, () => work(subject))
          if (round >= 10) times[name].push(ms)
          await undo?.(subject)
        }
      }
      const [few, many] = [quantile(times.short, 0.5), quantile(times.long, 0.5)]
      t.diagnostic(`p50: ${few.toFixed(2)} ms, then ${many.toFixed(2)} ms: ${(many / few).toFixed(2)} times`)
      assert.ok(many / few <= 2 * SLACK, `${many / few} times`)
    })
  }

  it(`is erased while ${UPDATES_PER_SECOND} updates a second hardly notice`, async (t) => {
    const agents = await Promise.all(
      Array.from({ length: 50 }, async () => ({
        id: (await createAgent(running, person)).id,
        token: person.token,
      })),
    )
    await send('DELETE', `${long.id}?erase=true`)
    const updates = startUpdates({ url: running.url, agents, perSecond: UPDATES_PER_SECOND })
    await sleep(WINDOW_MS)
    // In turns, because other work on the machine comes and goes: it should slow down both alike.
    const turns: { startedAt: number; isErasing: boolean }[] = []
    let steps = 0
    for (let hasMore = true; hasMore; ) {
      turns.push({ startedAt: performance.now(), isErasing: false })
      await sleep(WINDOW_MS)
      const startedAt = performance.now()
      turns.push({ startedAt, isErasing: true })
      while (hasMore && performance.now() < startedAt + WINDOW_MS) {
        const stepAt = performance.now()
        hasMore = await eraseStep(running.core.database.system, Math.floor(Date.now() / 1_000))
        steps++
        // As the console does: background work takes a fifth of a connection.
        await sleep(Math.max(20, 4 * (performance.now() - stepAt)))
      }
    }
    turns.push({ startedAt: performance.now(), isErasing: false })
    await sleep(WINDOW_MS)
    const times = { alone: [] as number[], erasing: [] as number[] }
    for (const { sentAt, answeredAt } of await updates.stop()) {
      const turn = turns.findLast(({ startedAt }) => startedAt <= sentAt)
      if (turn) times[turn.isErasing ? 'erasing' : 'alone'].push(answeredAt - sentAt)
    }
    const [alone, erasing] = [quantile(times.alone, 0.99), quantile(times.erasing, 0.99)]
    const ratio = erasing / alone
    t.diagnostic(
      `p99: ${alone.toFixed(1)} ms alone, ${erasing.toFixed(1)} ms during ${steps} steps: ${ratio.toFixed(2)} times`,
    )
    assert.ok(ratio <= 1.5 * SLACK, `${ratio} times`)
  })
})
