import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayUtc, toField } from '../../src/audit/search.ts'
import { formatDate, formatIso, formatSince, formatUtc } from '../../src/shared/format.ts'

const at = (text: string): number => new Date(text).getTime() / 1000
const now = at('2026-11-15T12:00:00')

describe('times', () => {
  for (const [time, text] of [
    ['2026-11-15T12:00:00', 'just now'],
    ['2026-11-15T11:59:59', '1 s ago'],
    ['2026-11-15T11:59:56', '4 s ago'],
    ['2026-11-15T11:49:00', '11 min ago'],
    ['2026-11-14T13:00:00', '23 h ago'],
    ['2026-11-14T09:42:00', 'Sat 09:42'],
    ['2026-11-04T19:40:00', '4 Nov 19:40'],
    ['2026-09-05T08:05:00', '5 Sep 08:05'],
    ['2025-03-03T19:40:00', '3 Mar 2025'],
    ['2026-11-15T12:00:09', 'just now'],
  ] as const) {
    it(`shows ${time} as ${text}`, () => assert.equal(formatSince(at(time), now), text))
  }

  it('names a day of the audit log, with the year if it is another one', () => {
    const noon = at('2026-11-15T12:00:00Z')
    assert.equal(dayUtc(noon, noon), 'Sunday 15 November')
    assert.equal(dayUtc(at('2024-12-17T12:00:00Z'), noon), 'Tuesday 17 December 2024')
  })

  it('has the whole time in UTC for comparison with logs', () => {
    assert.equal(formatUtc(1_735_344_160), '2024-12-28 00:02:40 UTC')
    assert.equal(formatUtc(253_402_300_800), '+010000-01-01 00:00:00 UTC')
  })

  it('shows a number that is no date as it is', () => {
    assert.equal(formatUtc(Number.MAX_SAFE_INTEGER), '9007199254740991')
    assert.equal(formatIso(Number.MIN_SAFE_INTEGER), '-9007199254740991')
    assert.equal(formatIso(8.64e12), '+275760-09-13T00:00:00.000Z')
    for (const at of [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]) {
      assert.equal(formatSince(at, now), String(at))
      assert.equal(formatDate(at), String(at))
    }
  })

  it('leaves a field for a time empty if the field cannot hold the time', () => {
    assert.equal(toField(1_735_344_160), '2024-12-28T00:02')
    assert.equal(toField(253_402_300_800), '')
    assert.equal(toField(Number.MAX_SAFE_INTEGER), '')
  })
})
