import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Child, withChildren } from '../support/children.ts'
import { operation } from '../support/mounted.ts'
import type { Mounts, StartedConsole } from '../support/mounted-console.ts'
import { sized } from '../support/sized.ts'
import { quantile, SLACK } from '../support/timing.ts'

/** Of each service, in each round. */
const REQUESTS = sized(400, 2_000)
const ROUNDS = 25

const SERVICES = ['pass', 'assert', 'sign'] as const

describe('an assertion', () => {
  it('costs a forwarded call at most 1.1 times what it does with the token of the caller', () =>
    withChildren(async (start) => {
      const behind = await start<string[]>('./plain-services.ts', { count: SERVICES.length })
      const running = await start<StartedConsole>('./mounted-console.ts', {
        services: Object.fromEntries(SERVICES.map((name, index) => [name, behind.started[index] ?? ''])),
        operations: SERVICES.map((name) => operation({ service: name, path: `/v1/${name}` })),
        tokens: { assert: 'assert', sign: 'sign' },
      } satisfies Mounts)
      const costs = SERVICES.map(() => [] as number[])
      // In short turns, so that the rest of the machine's work falls on all; the first is for warming up.
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [index, name] of SERVICES.entries()) {
          const cost = await measure(running, `/v1/${name}`)
          if (round > 0) costs[index]?.push(cost)
        }
      }
      const [passed = 0, asserted = 0, signed = 0] = costs.map((ofOne) => quantile(ofOne, 0.5))
      process.stdout.write(
        `a call takes ${passed.toFixed(0)} µs of processor with the token of the caller, ${asserted.toFixed(0)} µs with an ` +
          `assertion (${(asserted / passed).toFixed(2)} times), ${signed.toFixed(0)} µs if each call had its own ` +
          `(${(signed / passed).toFixed(2)} times)\n`,
      )
      assert.ok(asserted / passed <= 1.1 * SLACK, `${asserted / passed} times`)
    }))
})

/** Microseconds of the console's processor for a request. */
async function measure(console: Child<StartedConsole>, path: string): Promise<number> {
  const { url, token } = console.started
  const headers = { authorization: `Bearer ${token}` }
  const before = await console.ask<number>('cpu')
  for (let index = 0; index < REQUESTS; index++) {
    const reply = await fetch(url + path, { headers })
    await reply.arrayBuffer()
    assert.equal(reply.status, 200)
  }
  return ((await console.ask<number>('cpu')) - before) / REQUESTS
}
