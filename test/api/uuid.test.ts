import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { parseUuid } from '../../src/api/uuid.ts'

const runs = { numRuns: 5_000, seed: 20_261_114 }

/** The accepted spellings, said in another way than the parser does. */
const HYPHENATED = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const ACCEPTED = new RegExp(`^(?:[0-9a-fA-F]{32}|(?:urn:uuid:)?${HYPHENATED}|\\{${HYPHENATED}\\})$`)
const ERROR = new RegExp(
  [
    '^invalid length: expected length 32 for simple format, found \\d+$',
    '^invalid group count: expected 5, found \\d+$',
    '^invalid group length in group [0-4]: expected (?:8|4|12), found \\d+$',
    '^invalid character: ',
  ].join('|'),
)

const spelling = fc
  .tuple(fc.uuid(), fc.boolean(), fc.constantFrom('hyphenated', 'simple', 'urn', 'braces'))
  .map(([uuid, upper, form]) => {
    const cased = upper ? uuid.toUpperCase() : uuid
    const forms: Record<string, string> = {
      hyphenated: cased,
      simple: cased.replaceAll('-', ''),
      urn: `urn:uuid:${cased}`,
      braces: `{${cased}}`,
    }
    return { uuid, text: forms[form] as string }
  })

const damaged = fc
  .tuple(
    spelling,
    fc.nat({ max: 45 }),
    fc.nat({ max: 2 }),
    fc.constantFrom('', '-', 'a', 'G', ' ', '{', '}', 'é', '\0'),
  )
  .map(([{ text }, at, removed, put]) => text.slice(0, at) + put + text.slice(at + removed))

/** Any spelling inside the marks of another. */
const wrapped = fc
  .tuple(spelling, fc.constantFrom('{', 'urn:uuid:', 'URN:UUID:', ''), fc.constantFrom('}', ''))
  .map(([{ text }, before, behind]) => before + text + behind)

describe('a UUID in text form', () => {
  it('is read from every accepted spelling into one', () => {
    fc.assert(
      fc.property(spelling, ({ uuid, text }) => {
        assert.deepEqual(parseUuid(text), { ok: true, uuid })
      }),
      runs,
    )
  })

  it('is refused in every other, in known words', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, wrapped, fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseUuid(text)
        assert.equal(parsed.ok, ACCEPTED.test(text), text)
        if (!parsed.ok) assert.match(parsed.error, ERROR)
      }),
      runs,
    )
  })

  it('is never quoted in the error', () => {
    const parsed = parseUuid('sk-secret-of-a-user')
    assert.ok(!parsed.ok && !parsed.error.includes('secret'))
  })
})
