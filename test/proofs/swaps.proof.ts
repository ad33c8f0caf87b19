import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { withChildren } from '../support/children.ts'
import { operation } from '../support/mounted.ts'
import type { Mounts, StartedConsole } from '../support/mounted-console.ts'
import { sized } from '../support/sized.ts'
import { quantile } from '../support/timing.ts'

const SWAPS = sized(25, 200)
const OPERATIONS = 2_000
const CALLERS = 8

/** One that stays, and others that are new each time. */
const table = () => [
  operation(),
  ...Array.from({ length: OPERATIONS - 1 }, (_, index) => {
    return operation({ path: `/v1/things/{id}/${randomUUID()}/${index}` })
  }),
]

describe('a table that is replaced under load', () => {
  it(`${SWAPS} times loses no request that was valid before and after`, () =>
    withChildren(async (start) => {
      const services = await start<string[]>('./plain-services.ts', { count: 1 })
      const running = await start<StartedConsole>('./mounted-console.ts', {
        services: { things: services.started[0] as string },
        operations: table(),
      } satisfies Mounts)
      const { url, token } = running.started
      const headers = { authorization: `Bearer ${token}` }
      const failed: string[] = []
      let answered = 0
      let going = true
      const callers = Array.from({ length: CALLERS }, async () => {
        while (going) {
          const reply = await fetch(`${url}/v1/things/7`, { headers })
          await reply.arrayBuffer()
          answered += 1
          if (reply.status !== 200) failed.push(`${reply.status}`)
        }
      })
      const times: number[] = []
      for (let swap = 0; swap < SWAPS; swap++) times.push(await running.ask<number>({ operations: table() }))
      going = false
      await Promise.all(callers)
      process.stdout.write(
        `${SWAPS} swaps of ${OPERATIONS} operations under ${answered} requests: ${failed.length} failed; a table takes ${quantile(times, 0.5).toFixed(1)} ms to build\n`,
      )
      assert.deepEqual(failed, [])
      assert.ok(answered > SWAPS)
    }))
})
