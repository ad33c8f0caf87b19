import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { notifyAfterWrites } from '../../../src/features/events/notifications.ts'
import { createLog } from '../../../src/platform/observe/log.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import { until } from '../../support/until.ts'

describe('the announcement of writes', () => {
  const statement = { name: undefined, text: '', values: [] }

  /** A database whose announcements are taken when the test says so. */
  function createSlowSql() {
    const waiting: (() => void)[] = []
    let announced = 0
    const sql: Sql = {
      read: async () => {
        announced++
        await new Promise<void>((resolve) => waiting.push(resolve))
        return []
      },
      write: async () => [],
      transaction: async (work) => work(sql),
    }
    return { sql, waiting, announced: () => announced }
  }

  it('takes one connection however long it takes, and is made once more for all that came meanwhile', async () => {
    const { sql, waiting, announced } = createSlowSql()
    const { write } = notifyAfterWrites({ of: () => sql }, sql, createLog('silent')).of('team')
    for (let writes = 0; writes < 5; writes++) {
      await write(statement)
      await setImmediate()
    }
    assert.equal(announced(), 1)
    waiting.shift()?.()
    await until('the others are announced', () => announced() === 2)
    waiting.shift()?.()
  })
})
