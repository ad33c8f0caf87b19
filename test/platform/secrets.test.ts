import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { Secrets, SecretText } from '../../src/platform/crypto/secrets.ts'

describe('a sealed secret', () => {
  const key = randomBytes(32)
  const secrets = new Secrets([{ id: 'k1', key }])
  const place = { teamId: 'team', agentId: 'agent', field: 'api_key' }
  const seal = (text: string) => secrets.seal(place, new SecretText(text))

  it('opens as it was, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const wellFormed = text.toWellFormed()
        assert.equal(secrets.open(place, seal(wellFormed)).reveal(), wellFormed)
      }),
    )
    // Ends like the padding.
    for (const text of ['', '\u0080', 'a\u0080\0\0', '\0'.repeat(64), 'x'.repeat(63), 'x'.repeat(64)]) {
      assert.equal(secrets.open(place, seal(text)).reveal(), text)
    }
  })

  it('does not show its length, but for multiples of 64 bytes', () => {
    const lengthOf = (length: number) => seal('x'.repeat(length)).length
    const start = secrets.prefix.length + 12 + 16
    for (const length of [0, 1, 4, 20, 40, 63]) assert.equal(lengthOf(length), start + 64)
    for (const length of [64, 100, 127]) assert.equal(lengthOf(length), start + 128)
  })
})
