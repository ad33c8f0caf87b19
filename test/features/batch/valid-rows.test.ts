import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkRows, type ReadRow } from '../../../src/features/batch/import-rows.ts'

const ROWS = 5

/** Rows that take a while to read. */
async function* slowRows(): AsyncGenerator<ReadRow> {
  for (let row = 0; row < ROWS; row++) {
    const end = performance.now() + 15
    while (performance.now() < end);
    yield { externalKey: String(row), fields: {}, warnings: [], faults: [], line: null, importedAt: null }
  }
}

it('rows that take long to read let other requests have their turns', async () => {
  let turns = 0
  let isDone = false
  const others = (async () => {
    for (; !isDone; turns++) await nextTurn()
  })()
  await checkRows(slowRows(), { validate: (value) => ({ value, errors: [] }) })
  isDone = true
  await others
  assert.ok(turns >= ROWS, `${turns} turns`)
})
