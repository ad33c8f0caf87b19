import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { teamId } from '../../scripts/seed/fleet.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { type Person, startConsole, type TestConsole } from '../support/console.ts'
import { type Fleet, openFleet } from '../support/seeded-fleet.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK, timed } from '../support/timing.ts'

/** How many more agents the large fleet has: 10 times in CI; with FLEET_URL, whatever that database holds. */
const SMALL = sized(10_000, 100_000)
const LARGE = sized(100_000, 10_000_000)
const ROUNDS = 200

interface Side {
  fleet: Fleet
  running: TestConsole
  person: Person
  agentId: string
}

/** An ordinary team, of a hundred agents in either fleet. */
const TEAM = teamId(7)

describe('a fleet that grows', () => {
  let small: Side
  let large: Side

  const open = async (agents: number, url: string | undefined): Promise<Side> => {
    const fleet = await openFleet({ agents }, url)
    const running = await startConsole({ environment: { DATABASE_URL: fleet.url } })
    const person = await running.person({ team: TEAM, user: randomUUID() })
    return { fleet, running, person, agentId: (await createAgent(running, person)).id }
  }
  const WORK: Record<string, (side: Side) => Promise<unknown>> = {
    'a page of 100 with scores': ({ running, person }) =>
      running.request('GET', `${COLLECTION}?limit=100&include_scores=true`, { token: person.token }),
    'a PUT': ({ running, person, agentId }) =>
      running.request('PUT', `${COLLECTION}/${agentId}`, {
        token: person.token,
        json: { purpose: randomUUID() },
      }),
    'a GET': ({ running, person, agentId }) =>
      running.request('GET', `${COLLECTION}/${agentId}`, { token: person.token }),
  }

  before(async () => {
    small = await open(SMALL, undefined)
    large = await open(LARGE, process.env['FLEET_URL'])
  })
  after(async () => {
    for (const { running, fleet } of [small, large]) {
      await running.close()
      await fleet.close()
    }
  })

  for (const [what, work] of Object.entries(WORK)) {
    it(`costs ${what} no more than 1.3 times as much`, async (t) => {
      const times = { small: [] as number[], large: [] as number[] }
      await timed(60, () => work(small))
      await timed(60, () => work(large))
      for (let round = 0; round < ROUNDS; round++) {
        times.small.push(...(await timed(1, () => work(small))))
        times.large.push(...(await timed(1, () => work(large))))
      }
      const [before, now] = [quantile(times.small, 0.5), quantile(times.large, 0.5)]
      t.diagnostic(
        `p50: ${before.toFixed(2)} ms, then ${now.toFixed(2)} ms: ${(now / before).toFixed(2)} times`,
      )
      assert.ok(now / before <= 1.3 * SLACK, `${now / before} times`)
    })
  }
})
