import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documents } from '../../src/http/validation/documents.ts'
import { createCatalogReader } from '../../src/imports/cards/catalog-reader.ts'
import type { FetchDeps } from '../../src/imports/cards/fetch.ts'
import { OutboundError } from '../../src/platform/outbound/client.ts'

const context = {
  ...{ documents, now: 0, options: {} },
  trust: { keys: [], policy: 'off' as const },
}
const catalog = {
  entries: Array.from({ length: 40 }, (_, index) => ({
    ...{ identifier: `card-${index}`, type: 'application/a2a-agent-card+json' },
    url: `https://agents.example.com/${index}.json`,
  })),
}

describe('the limits of a catalog', () => {
  const read = (get: FetchDeps['get'], limits: { maxMs: number; maxBytes: number }, signal: AbortSignal) =>
    createCatalogReader({ documents, get }, context, { teamId: 'team', signal }, limits).read(catalog)
  /** Ends as the client does: with an error of its own when its signal is aborted. */
  const hang = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new OutboundError('unreachable', 'Gone.', '')))
    })

  it('ends after its time, with a fault for each card that it did not get', async () => {
    let inFlight = 0
    const rows = await read(
      (_url, { signal }) => {
        inFlight++
        return hang(signal)
      },
      { maxMs: 20, maxBytes: 1_000 },
      new AbortController().signal,
    )
    assert.equal(inFlight, 8)
    assert.equal(rows.length, 40)
    assert.ok(rows.every(({ faults }) => faults[0]?.msg.includes('the time for this catalog')))
    assert.equal(rows[7]?.externalKey, 'card-7')
  })

  it('stops at its size', async () => {
    const body = Buffer.from(JSON.stringify({ filler: 'x'.repeat(1_000) }))
    const rows = await read(
      async (url) => ({ url, status: 200, contentType: null, etag: null, body }),
      { maxMs: 60_000, maxBytes: 5_000 },
      new AbortController().signal,
    )
    const late = rows.filter(({ faults }) => faults[0]?.msg.includes('too large together'))
    assert.ok(late.length >= 40 - 16, `${late.length}`)
  })

  it('ends with its client', async () => {
    const leaving = new AbortController()
    const gone = new Error('gone')
    const reading = read((_url, { signal }) => hang(signal), { maxMs: 60_000, maxBytes: 1 }, leaving.signal)
    leaving.abort(gone)
    await assert.rejects(reading, gone)
  })
})
