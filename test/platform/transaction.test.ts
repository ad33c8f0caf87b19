import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Problem } from '../../src/contract/problem.ts'
import { createDatabase } from '../../src/platform/database.ts'
import { createLog } from '../../src/platform/log.ts'
import { createTestDatabase } from '../support/database.ts'

describe('a transaction', async () => {
  const { url, query, drop } = await createTestDatabase()
  const database = createDatabase(url, createLog('silent'))
  after(async () => {
    await database.close()
    await drop()
  })
  await query('CREATE TABLE counters (n integer)')
  const statement = (text: string) => ({ name: undefined, text, values: [] })
  const increment = statement('INSERT INTO counters VALUES (1)')
  const count = async () => (await query('SELECT FROM counters')).length

  it('commits what its work has written, and returns the result', async () => {
    const result = await database.transaction(async ({ write }) => {
      await write(increment)
      return 'done'
    })
    assert.deepEqual([result, await count()], ['done', 1])
  })

  for (const error of [new Problem('revision_stale'), new TypeError('a mistake in the code')]) {
    it(`is rolled back when its work throws a ${error.constructor.name}, which the caller gets`, async () => {
      const before = await count()
      // More often than the pool has connections: each one is usable again.
      for (let n = 0; n < 20; n++) {
        const failed = database.transaction(async ({ write }) => {
          await write(increment)
          throw error
        })
        await assert.rejects(failed, (thrown) => thrown === error)
      }
      assert.equal(await count(), before)
      assert.deepEqual(await database.read(statement('SELECT 1 AS one')), [{ one: 1 }])
    })
  }

  it('that loses its connection has an unknown outcome, and the next one works', async () => {
    const lost = database.transaction(({ read }) =>
      read(statement('SELECT pg_terminate_backend(pg_backend_pid())')),
    )
    await assert.rejects(lost, (error) => error instanceof Problem && error.code === 'outcome_unknown')
    await database.transaction(({ write }) => write(increment))
  })
})
