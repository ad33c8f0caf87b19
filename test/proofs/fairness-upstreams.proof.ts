import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withChildren } from './children.ts'
import { bearer, startConsoleWithFiles } from './console-with-files.ts'
import type { SlowClient, SlowClients } from './slow-clients.ts'
import { quantile, SLACK } from './timing.ts'

/** `npm run proof:fairness` makes more calls and compares their times; CI checks their statuses. */
const IS_LONG = process.env['FAIRNESS'] === 'long'
const CALLS = IS_LONG ? 2_000 : 100
const UPLOADS = 256
const FAILING_CALLS = 20
const MAX_RATIO = 3 * SLACK
/** A request is sent to the service when so much of its body has arrived. */
const READY_BYTES = 64 * 1024

describe('a team whose uploads hardly move and whose calls fail', () => {
  it('does not disturb the calls of another team to the same service', () =>
    withChildren(async (start) => {
      const service = await start<string>('./file-service.ts', {})
      await using running = await startConsoleWithFiles(service.started)
      const [flooder, other] = [await running.token(), await running.token()]
      const call = async (path: string, token: string) => {
        const startedAt = performance.now()
        const response = await fetch(running.url + path, { headers: bearer(token) })
        await response.bytes()
        return { status: response.status, ms: performance.now() - startedAt }
      }
      const callAsOther = async () => {
        const times: number[] = []
        for (let n = 0; n < CALLS; n++) {
          const { status, ms } = await call('/v1/files', other)
          assert.equal(status, 200)
          times.push(ms)
        }
        return quantile(times, 0.99)
      }
      await callAsOther()
      const alone = await callAsOther()

      // The first hold no slots; the others send enough to get one, and then hardly more.
      const clients = [1, READY_BYTES].map((begin) => dripping(flooder, begin))
      await start<string>('./slow-clients.ts', { url: running.url, clients } satisfies SlowClients)
      const statuses = new Set<number>()
      let isDone = false
      const failing = (async () => {
        for (let n = 0; n < FAILING_CALLS || !isDone; n++) {
          statuses.add((await call('/v1/files/failing', flooder)).status)
        }
      })()
      const flooded = await callAsOther()
      isDone = true
      await failing
      assert.ok(statuses.has(502), 'calls of the flooding team failed')
      assert.ok(statuses.has(503), 'the breaker opened for the flooding team')
      process.stdout.write(`p99 ${alone.toFixed(1)} ms alone, ${flooded.toFixed(1)} ms during the flood\n`)
      if (IS_LONG) assert.ok(flooded < MAX_RATIO * alone, `${(flooded / alone).toFixed(1)} times`)
    }))
})

function dripping(token: string, begin: number): SlowClient {
  const head = `POST /v1/files HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-length: 1000000\r\n\r\n`
  return { begin: head + 'x'.repeat(begin), rest: 'x'.repeat(1_000), count: UPLOADS }
}
