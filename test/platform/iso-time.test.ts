import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { isoTime } from '../../src/platform/observe/log.ts'

it('writes the time of a log line in milliseconds, also when the clock goes back', () => {
  mock.timers.enable({ apis: ['Date'] })
  try {
    for (const text of [
      '2026-11-16T15:44:34.000Z',
      '2026-11-16T15:44:34.007Z',
      '2026-11-16T15:44:34.999Z',
      '2026-11-16T15:44:35.010Z',
      '2026-11-16T15:44:34.500Z',
      '2027-01-01T00:00:00.000Z',
    ]) {
      mock.timers.setTime(Date.parse(text))
      assert.equal(isoTime(), `,"time":"${text}"`)
    }
  } finally {
    mock.timers.reset()
  }
})
