import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMountedTable } from '../../src/services/mount/table.ts'
import { operation } from '../services/mounted.ts'
import { type Child, withChildren } from './children.ts'
import type { Command, Mounts, StartedConsole } from './mounted-console.ts'
import { quantile, SLACK } from './timing.ts'

/** Of each part, in each round. */
const REQUESTS = Number(process.env['ROUTED_REQUESTS'] ?? 400)
const ROUNDS = 25
const MANY = 2_000
const SERVICES = 20

/** Spread over services, with paths as long and as deep as such paths are. */
const operationsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const service = `service-${index % Math.min(SERVICES, count)}`
    return operation({ service, path: `/v1/${service}/projects/{project_id}/resources-${index}/{id}` })
  })
const pathsOf = (count: number) =>
  operationsOf(count).map(({ path }) => path.replace('{project_id}', 'p-1').replace('{id}', '7'))

describe('routing', () => {
  it(`among ${MANY} operations of ${SERVICES} services costs a request at most 1.1 times what it does with one`, () =>
    withChildren(async (start) => {
      const services = await start<string[]>('./plain-services.ts', { count: SERVICES })
      const urls = Object.fromEntries(services.started.map((url, index) => [`service-${index}`, url]))
      const running = await start<StartedConsole>('./mounted-console.ts', {
        services: urls,
        operations: operationsOf(1),
      } satisfies Mounts)
      const measureWith = async (count: number) => {
        await running.ask({ operations: operationsOf(count) } satisfies Command)
        return measure(running, pathsOf(count))
      }
      const times: [number[], number[]] = [[], []]
      // One process takes both parts: two of them differ by a tenth where they have the same to do. In short turns, so that
      // whatever else the machine does falls on both; the first is for warming up.
      for (let round = 0; round <= ROUNDS; round++) {
        const [withOne, withMany] = [await measureWith(1), await measureWith(MANY)]
        if (round === 0) continue
        times[0].push(withOne)
        times[1].push(withMany)
      }
      const [alone, among] = [quantile(times[0], 0.5), quantile(times[1], 0.5)]
      process.stdout.write(
        `a request: ${alone.toFixed(3)} ms with 1 operation, ${among.toFixed(3)} ms with ${MANY}: ${(among / alone).toFixed(2)} times; ` +
          `the lookup alone: ${lookUp(1).toFixed(2)} and ${lookUp(MANY).toFixed(2)} µs\n`,
      )
      assert.ok(among / alone <= 1.1 * SLACK, `${among / alone} times`)
    }))
})

/** Milliseconds of a request, the median. */
async function measure({ started: { url, token } }: Child<StartedConsole>, paths: string[]): Promise<number> {
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
  return quantile(times, 0.5)
}

/** Microseconds of a lookup by itself. */
function lookUp(count: number): number {
  const LOOKUPS = 200_000
  const { find } = createMountedTable(operationsOf(count))
  const paths = pathsOf(count)
  for (let index = 0; index < LOOKUPS; index++) find('GET', paths[(index * 7) % count] as string)
  const startedAt = performance.now()
  for (let index = 0; index < LOOKUPS; index++) find('GET', paths[(index * 7) % count] as string)
  return ((performance.now() - startedAt) * 1_000) / LOOKUPS
}
