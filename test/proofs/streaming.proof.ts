import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { withChildren } from '../support/children.ts'
import { hashOfBulk, pour } from '../support/large-stream.ts'
import { operation } from '../support/mounted.ts'
import type { Mounts, StartedConsole } from '../support/mounted-console.ts'
import { sized } from '../support/sized.ts'

const MIB = 1024 * 1024
const BYTES = sized(128, 1_024) * MIB
const MOST_GROWN = 50 * MIB

describe('a body of any size', () => {
  it(`of ${BYTES / MIB} MiB goes up and comes down byte for byte with under 50 MiB more memory`, () =>
    withChildren(async (start) => {
      const services = await start<string[]>('./plain-services.ts', { count: 1 })
      const running = await start<StartedConsole>('./mounted-console.ts', {
        services: { things: services.started[0] as string },
        operations: [operation(), operation({ method: 'POST' })],
      } satisfies Mounts)
      const { url, token } = running.started
      const headers = { authorization: `Bearer ${token}` }
      const upload = async (bytes: number) => {
        const body = Readable.toWeb(Readable.from(pour(bytes))) as ReadableStream
        const reply = await fetch(`${url}/v1/things/file`, { method: 'POST', headers, body, duplex: 'half' })
        assert.equal(reply.status, 200)
        return reply.text()
      }
      const download = async (bytes: number) => {
        const reply = await fetch(`${url}/v1/things/bytes-${bytes}`, { headers })
        assert.equal(reply.status, 200)
        const hash = createHash('sha256')
        for await (const chunk of reply.body as ReadableStream<Uint8Array>) hash.update(chunk)
        return hash.digest('hex')
      }
      // What a process needs for its first requests is not what a large one costs.
      await upload(MIB)
      await download(MIB)
      await running.ask('rss')
      const before = await running.ask<number>('rss')

      const expected = hashOfBulk(BYTES)
      for (const [way, pass] of Object.entries({ up: upload, down: download })) {
        const startedAt = performance.now()
        assert.equal(await pass(BYTES), expected)
        const seconds = (performance.now() - startedAt) / 1_000
        const grown = (await running.ask<number>('rss')) - before
        process.stdout.write(
          `${BYTES / MIB} MiB ${way}: ${(BYTES / MIB / seconds).toFixed(0)} MiB/s, memory ${(before / MIB).toFixed(0)} MiB before and at most ${(grown / MIB).toFixed(1)} MiB more\n`,
        )
        assert.ok(grown < MOST_GROWN, `${grown / MIB} MiB more`)
      }
    }))
})
