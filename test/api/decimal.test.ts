import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { DECIMAL_MAX_LENGTH, DECIMAL_PATTERN, isDecimal, plainDecimal } from '../../src/api/fields.ts'
import { exactDecimal, isSameValue } from '../support/exact-decimal.ts'
import { numberLiteral } from '../support/literals.ts'

const runs = { numRuns: 5_000, seed: 20_261_114 }

describe('a decimal in text form', () => {
  it('is what the published pattern says, up to its length', () => {
    const published = new RegExp(DECIMAL_PATTERN)
    const text = fc.string({ unit: fc.constantFrom(...'0123456789+-..eE x_'.split('')), maxLength: 9 })
    const nearly = fc.tuple(
      fc.constantFrom('', '+', '-', ' '),
      fc.nat(),
      fc.constantFrom('', '.', '.5', '.x', '\n'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          nearly.map((parts) => parts.join('')),
        ),
        (candidate) => {
          assert.equal(isDecimal(candidate), published.test(candidate), JSON.stringify(candidate))
        },
      ),
      runs,
    )
  })

  it('is no longer than 64 characters, and refusing a longer one takes no time', () => {
    assert.ok(isDecimal('9'.repeat(DECIMAL_MAX_LENGTH)))
    assert.ok(!isDecimal('9'.repeat(DECIMAL_MAX_LENGTH + 1)))
    const begun = process.threadCpuUsage()
    for (let count = 0; count < 1_000; count++) assert.ok(!isDecimal(`${'0'.repeat(1_000_000)}x`))
    assert.ok(process.threadCpuUsage(begun).user < 2_000_000)
  })
})

describe('the plain notation of a number', () => {
  it('has the same value, digit by digit, and no exponent', () => {
    fc.assert(
      fc.property(numberLiteral, (literal) => {
        const plain = plainDecimal(literal)
        if (plain === null) return
        assert.match(plain, /^-?\d+(?:\.\d+)?$/)
        assert.ok(plain.length <= DECIMAL_MAX_LENGTH)
        assert.ok(isSameValue(exactDecimal(plain), exactDecimal(literal)), `${literal} became ${plain}`)
      }),
      runs,
    )
  })

  it('is there for every number whose digits fit', () => {
    fc.assert(
      fc.property(numberLiteral, (literal) => {
        const { digits, exponent } = exactDecimal(literal)
        const longest = String(digits).length + Math.abs(Number(exponent)) + 3
        // The exponent as written may be larger than what remains of it behind a long fraction.
        const fits = longest <= DECIMAL_MAX_LENGTH && Math.abs(Number(/e(.*)/i.exec(literal)?.[1] ?? 0)) <= 64
        if (fits) assert.notEqual(plainDecimal(literal), null, literal)
      }),
      runs,
    )
  })

  it('is not made where it would be long, whatever the exponent', () => {
    for (const literal of [
      '1e64',
      '1e65',
      '1e-64',
      '1e999999999999',
      '1e-999999999999',
      `1${'0'.repeat(64)}`,
    ]) {
      assert.equal(plainDecimal(literal), null, literal)
    }
  })
})
