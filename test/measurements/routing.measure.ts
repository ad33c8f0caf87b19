import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMountedTable } from '../../src/features/services/mount/table.ts'
import { type Child, withChildren } from '../support/children.ts'
import { operation } from '../support/mounted.ts'
import type { Command, Mounts, StartedConsole } from '../support/mounted-console.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'

/** Of each part, in each round. */
const REQUESTS = sized(400, 2_000)
const ROUNDS = 25
const SERVICES = 20
/** Of each service. */
const OPERATIONS = 100

/** Spread over services, with paths as long and as deep as such paths are. */
const operationsOf = (services: number) =>
  Array.from({ length: services * OPERATIONS }, (_, index) => {
    const service = `service-${index % services}`
    return operation({ service, path: `/v1/${service}/projects/{project_id}/resources-${index}/{id}` })
  })
const pathsOf = (services: number) =>
  operationsOf(services).map(({ path }) => path.replace('{project_id}', 'p-1').replace('{id}', '7'))

describe('routing', () => {
  it(`among ${SERVICES * OPERATIONS} operations of ${SERVICES} services costs a request at most 1.1 times what it does with one service`, () =>
    withChildren(async (start) => {
      const behind = await start<string[]>('./plain-services.ts', { count: SERVICES })
      const urls = Object.fromEntries(behind.started.map((url, index) => [`service-${index}`, url]))
      const running = await start<StartedConsole>('./mounted-console.ts', {
        services: urls,
        operations: operationsOf(1),
      } satisfies Mounts)
      const measureWith = async (services: number): Promise<Cost> => {
        await running.ask({ operations: operationsOf(services) } satisfies Command)
        // The first request to each operation of a new table compiles what the router made for it.
        await measure(running, pathsOf(services))
        return measure(running, pathsOf(services))
      }
      const costs: [Cost[], Cost[]] = [[], []]
      // One process takes both parts: two of them differ by a tenth where they have the same to do. In short turns, so that
      // whatever else the machine does falls on both; the first is for warming up.
      for (let round = 0; round <= ROUNDS; round++) {
        const [withOne, withMany] = [await measureWith(1), await measureWith(SERVICES)]
        if (round === 0) continue
        costs[0].push(withOne)
        costs[1].push(withMany)
      }
      const medians = (part: keyof Cost) =>
        costs.map((turns) =>
          quantile(
            turns.map((cost) => cost[part]),
            0.5,
          ),
        ) as [number, number]
      const [alone, among] = medians('cpuUs')
      const [aloneMs, amongMs] = medians('ms')
      process.stdout.write(
        `a request takes ${alone.toFixed(0)} µs of processor with 1 service, ${among.toFixed(0)} µs with ${SERVICES}: ${(among / alone).toFixed(2)} times; ` +
          `${aloneMs.toFixed(3)} and ${amongMs.toFixed(3)} ms in all; ` +
          `the lookup alone ${(await lookUp(1)).toFixed(2)} and ${(await lookUp(SERVICES)).toFixed(2)} µs\n`,
      )
      assert.ok(among / alone <= 1.1 * SLACK, `${among / alone} times`)
    }))
})

/** What a request costs: on the way, where the machine's other business shows too, and of the console's processor. */
interface Cost {
  ms: number
  cpuUs: number
}

async function measure(console: Child<StartedConsole>, paths: string[]): Promise<Cost> {
  const { url, token } = console.started
  const before = await console.ask<number>('cpu')
  const headers = { authorization: `Bearer ${token}` }
  const times: number[] = []
  for (let index = 0; index < REQUESTS; index++) {
    const path = paths[(index * 7) % paths.length] as string
    const startedAt = performance.now()
    const reply = await fetch(url + path, { headers })
    await reply.arrayBuffer()
    times.push(performance.now() - startedAt)
    assert.equal(reply.status, 200)
  }
  const after = await console.ask<number>('cpu')
  return { ms: quantile(times, 0.5), cpuUs: (after - before) / REQUESTS }
}

/** Microseconds of a lookup by itself. */
async function lookUp(services: number): Promise<number> {
  const LOOKUPS = 200_000
  const table = await createMountedTable(operationsOf(services))
  const paths = pathsOf(services)
  const findSome = () => {
    for (let index = 0; index < LOOKUPS; index++) {
      table.find('GET', paths[(index * 7) % paths.length] as string)
    }
  }
  findSome()
  const startedAt = performance.now()
  findSome()
  return ((performance.now() - startedAt) * 1_000) / LOOKUPS
}
