import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ignoredFields } from '../../src/api/headers.ts'

const SCHEMA = { properties: { known: {} } }

describe('the header that names ignored fields', () => {
  it('is not there when nothing was ignored', () => {
    assert.equal(ignoredFields({ known: 1 }, SCHEMA), undefined)
  })

  it('is short and plain whatever the names are', () => {
    const bodies = [
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`名前${i}`, 1])),
      { ['名'.repeat(100_000)]: 1 },
      { 'a\r\nb: c': 1, '\ud800': 1, toString: 1 },
    ]
    for (const body of bodies) {
      const header = ignoredFields(body, SCHEMA) ?? ''
      assert.match(header, /^[\w%., -]+$/)
      assert.ok(header.length < 4_100)
    }
    assert.equal(ignoredFields({ a: 1, known: 1, b: 1 }, SCHEMA), 'a, b')
  })
})
