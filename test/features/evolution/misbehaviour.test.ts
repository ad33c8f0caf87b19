import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { useConsole } from '../../support/console.ts'
import type { MisbehaviourOptions, Mode } from '../../support/evolution-service/misbehaviour.ts'
import { sized } from '../../support/sized.ts'
import { until } from '../../support/until.ts'

const ROUNDS = sized(50, 2_000)

/** The response to each misbehaviour. `slow` would respond long after the deadline: a 504 shows that the deadline counts. */
const CASES: [Mode, number, string, MisbehaviourOptions?][] = [
  ['slow', 504, 'upstream_timeout', { delayMs: 60_000 }],
  ['hang', 504, 'upstream_timeout'],
  ['hang_half_way', 504, 'upstream_timeout'],
  ['error_500', 502, 'upstream_failed'],
  ['error_503', 502, 'upstream_failed'],
  ['redirect', 502, 'upstream_failed'],
  ['html', 502, 'upstream_failed'],
  ['array', 502, 'upstream_failed'],
  ['empty', 502, 'upstream_failed'],
  ['truncated_chunk', 502, 'upstream_failed'],
  ['wrong_length', 502, 'upstream_failed', { by: 10 }],
  ['gigabyte', 502, 'upstream_failed'],
  ['gzip_bomb', 502, 'upstream_failed', { bytes: 64 * 1024 * 1024 }],
  ['reset', 502, 'upstream_failed'],
  ['garbage', 502, 'upstream_failed'],
]

describe('an upstream that misbehaves', async () => {
  const running = await useConsole({ environment: { EVOLUTION_DEADLINE_MS: '2000' } })
  const person = await running.person()

  const ask = (method: 'GET' | 'POST') =>
    method === 'GET'
      ? running.request('GET', `/v1/evolution/status/${randomUUID()}`, { token: person.token })
      : running.request('POST', '/v1/genomes/', { token: person.token, json: {} })

  /** Behaves until the breaker, should a case have opened it, has closed again. */
  const recover = async () => {
    running.evolution.misbehave(null)
    await until('the breaker closes', async () => (await ask('GET')).status === 200)
    // More good calls than the bad ones to come, so that the breaker stays closed during the case.
    for (let call = 0; call < 10; call++) await ask('GET')
  }

  for (const [mode, status, code, options] of CASES) {
    it(`by ${mode} is a ${status}`, async () => {
      await recover()
      for (const method of ['GET', 'POST'] as const) {
        running.evolution.misbehave(mode, options)
        const reply = await ask(method)
        assert.equal(reply.status, status, `${method} ${reply.text}`)
        assert.equal(reply.body.code, code)
      }
    })
  }

  it('never gets a redirect followed', async () => {
    await recover()
    running.evolution.misbehave('redirect')
    assert.equal((await ask('GET')).status, 502)
    assert.equal(running.evolution.redirectsFollowed(), 0)
  })

  it(`leaks neither sockets nor memory, after ${ROUNDS} of each kind it can do quickly`, async () => {
    await recover()
    const quick = CASES.filter(
      ([mode]) => !['slow', 'hang', 'hang_half_way', 'gigabyte', 'gzip_bomb'].includes(mode),
    )
    const misbehaveOnce = async (round: number) => {
      const [mode, , , options] = quick[round % quick.length] as (typeof CASES)[number]
      running.evolution.misbehave(mode, { ...options, times: 1 })
      await ask('GET')
      // Two good ones for each bad one keep the breaker closed, so that every round reaches the upstream.
      await ask('GET')
      await ask('GET')
    }
    for (let round = 0; round < 50; round++) await misbehaveOnce(round)
    const heapBefore = await settledHeap()
    for (let round = 0; round < ROUNDS; round++) await misbehaveOnce(round)
    running.evolution.clearRequests()
    running.logLines.length = 0
    const grownBytes = (await settledHeap()) - heapBefore
    assert.ok(grownBytes < 4 * 1024 * 1024, `${grownBytes} bytes more`)
    await until('idle sockets are closed', () => running.evolution.openSockets() <= 2)
  })

  it('under many calls that hang leaves no socket behind', async () => {
    await recover()
    running.evolution.misbehave('hang')
    const replies = await Promise.all(Array.from({ length: 200 }, () => ask('GET')))
    assert.ok(replies.every(({ status }) => status === 504 || status === 503))
    await until('hanging sockets are closed', () => running.evolution.openSockets() <= 2)
    await recover()
  })
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function settledHeap(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collectGarbage()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}
