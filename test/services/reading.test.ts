import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDocuments } from '../../src/services/documents/documents.ts'
import { toShared } from '../../src/services/documents/protocol.ts'
import { createReading } from '../../src/services/sentinel/reading.ts'
import { largeDocuments } from '../support/large-documents.ts'

describe('documents that come together', () => {
  it('have all been read, good or broken, before they are combined', async () => {
    const all = createDocuments()
    try {
      const { documents, settled } = createReading(all)
      const read: string[] = []
      const texts = [
        ...largeDocuments()
          .slice(0, 3)
          .map(({ text }) => text),
        'no document',
      ]
      const outcomes = texts.map((text, index) =>
        documents
          .prepare(serviceNamed(`service-${index}`), toShared(Buffer.from(text)))
          .then(({ service }) => read.push(service))
          .catch(() => read.push('broken')),
      )
      await Promise.race(outcomes)
      await settled()
      assert.deepEqual(read.toSorted(), ['broken', 'service-0', 'service-1', 'service-2'])
    } finally {
      await all.close()
    }
  })
})

const serviceNamed = (name: string) => ({
  name,
  tag: name,
  url: 'http://127.0.0.1',
  documentUrl: 'http://127.0.0.1/openapi.json',
  prefixes: ['/v1'],
  deadlineMs: 1_000,
  maxRequestBytes: undefined,
  maxAnswerBytes: undefined,
  pollMs: 1_000,
  sampleRatio: 0,
})
