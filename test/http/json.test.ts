import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { isExactNumber, parseExactJson, walkJson } from '../../src/platform/json.ts'
import { exactDecimal, isSameValue } from '../support/exact-decimal.ts'
import { numberLiteral, respelledDouble } from '../support/literals.ts'
import { sized } from '../support/sized.ts'
import { expectedScan, jsonDocument, render } from './json-documents.ts'

const runs = { numRuns: sized(500, 5_000), seed: 20_261_114 }

const isKnown = (name: string) => name !== 'ignored'

/** By definition: the double that a literal becomes is written back with the same value. */
function keepsItsValue(literal: string): boolean {
  const value = Number(literal)
  return Number.isFinite(value) && isSameValue(exactDecimal(literal), exactDecimal(String(value)))
}

describe('a number literal', () => {
  it('is exact when, and only when, it survives a double', () => {
    const corners =
      '0 -0 0.0 1e-5 15e-1 0.1e1 1e22 1e23 9007199254740993 5e-324 4e-324 49e-325 50e-325 2.5e-324 1e-323'
    for (const literal of corners.split(' '))
      assert.equal(isExactNumber(literal), keepsItsValue(literal), literal)
    fc.assert(
      fc.property(fc.oneof(numberLiteral, respelledDouble), (literal) => {
        assert.equal(isExactNumber(literal), keepsItsValue(literal), literal)
      }),
      { ...runs, numRuns: sized(2_000, 20_000) },
    )
  })

  it('is judged in time that grows with its length and no faster', () => {
    const begun = process.threadCpuUsage()
    for (const literal of [
      '9'.repeat(1_000_000),
      `1.${'0'.repeat(1_000_000)}1`,
      `1${'0'.repeat(1_000_000)}1e-1000000`,
      `1e${'9'.repeat(1_000_000)}`,
    ]) {
      assert.equal(isExactNumber(literal), false)
    }
    assert.ok(process.threadCpuUsage(begun).user < 1_000_000)
  })
})

describe('the reader of a JSON text', () => {
  const read = (text: string) => {
    const body = parseExactJson(Buffer.from(text), isKnown)
    assert.ok(!('errorAt' in body), text)
    return body
  }

  it('finds what is wrong in wanted members, where it is, and nothing else', () => {
    fc.assert(
      fc.property(jsonDocument, (document) => {
        const text = render(document)
        const { value, violations, numbers } = read(text)
        const expected = expectedScan(document, isKnown, keepsItsValue)
        assert.deepEqual(value, JSON.parse(text))
        assert.deepEqual(violations, expected.violations.slice(0, 100), text)
        assert.deepEqual(numbers, expected.numbers, text)
      }),
      runs,
    )
  })

  it('stops at as many violations as it may have', () => {
    const text = (count: number) => `{"a":[${'1e400,'.repeat(count)}0],"b":"\\u0000"}`
    assert.equal(read(text(50)).violations.length, 51)
    assert.equal(read(text(500)).violations.length, 100)
  })
})

describe('the place where a text stops being JSON', () => {
  const damaged = fc
    .tuple(
      jsonDocument.map(render),
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', ',', '}', ']', '"', '\\', 'x', '\n', '-', '0', '😀'),
    )
    .map(([text, at, removed, put]) => {
      const start = at % (text.length + 1)
      return (text.slice(0, start) + put + text.slice(start + removed)).toWellFormed()
    })

  it('has nothing wrong before it, and is itself wrong', () => {
    let count = 0
    fc.assert(
      fc.property(damaged, (text) => {
        if (isJson(text)) return
        count++
        const position = walkJson(text, 64)
        const before = Array.from(text).slice(0, position).join('')
        assert.ok(isBeginning(before), `${text}: ${position}`)
        const longest = longestBeginning(text)
        // A token that is wrong or has no end is named by its start.
        const between = text.slice(before.length, longest)
        assert.match(
          between,
          /^(?:|"(?:[^"\\]|\\.)*\\?|\\.{0,5}|[-\d.eE+]+|[a-z]+)$/s,
          `${text}: ${position}`,
        )
      }),
      runs,
    )
    assert.ok(count > runs.numRuns / 5)
  })

  it('is where it nests too deeply, unless something is wrong before', () => {
    assert.equal(walkJson('[[["😀",[]]]]', 3), 7)
    assert.equal(walkJson('[[[x,[]]]]', 3), 3)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether some JSON begins like this: then V8 complains of nothing before the end of the text. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const position = / at position (\d+)/.exec((error as Error).message)?.[1]
    return position === undefined
      ? (error as Error).message.startsWith('Unexpected end')
      : Number(position) >= text.length
  }
}

function longestBeginning(text: string): number {
  let length = 0
  while (length < text.length && isBeginning(text.slice(0, length + 1))) length++
  return length
}
