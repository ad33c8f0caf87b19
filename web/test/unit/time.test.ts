import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayUtc } from '../../src/audit/clock.ts'
import { formatSince, formatUtc } from '../../src/shared/time.ts'

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
  })
})
