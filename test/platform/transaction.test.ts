import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../src/api/problem.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import { createDatabase } from '../../src/platform/postgres/database.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const POOL = {
  poolSize: 4,
  maxWaitMs: 10_000,
  lockTimeoutMs: 1_000,
  connectTimeoutMs: 30_000,
  connectionLifetimeS: 60,
}

describe('a transaction', async () => {
  const { url, query, drop } = await createTestDatabase()
  const database = createDatabase(url, createLog('silent'), POOL)
  closeAfter(async () => {
    await database.close()
    await drop()
  })
  await query('CREATE TABLE counters (n integer)')
  const statement = (text: string) => ({ name: undefined, text, values: [] })
  const increment = statement('INSERT INTO counters VALUES (1)')
  const count = async () => (await query('SELECT FROM counters')).length

  it('commits what its work has written, and returns the result', async () => {
    const result = await database.system.transaction(async ({ write }) => {
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
        const failed = database.system.transaction(async ({ write }) => {
          await write(increment)
          throw error
        })
        await assert.rejects(failed, (thrown) => thrown === error)
      }
      assert.equal(await count(), before)
      assert.deepEqual(await database.system.read(statement('SELECT 1 AS one')), [{ one: 1 }])
    })
  }

  it('that loses its connection before its COMMIT has had no effect, and the next one works', async () => {
    const before = await count()
    const lost = database.system.transaction(async ({ read, write }) => {
      await write(increment)
      await read(statement('SELECT pg_terminate_backend(pg_backend_pid())'))
    })
    await assert.rejects(lost, (error) => error instanceof Problem && error.code === 'database_unavailable')
    await database.system.transaction(({ write }) => write(increment))
    assert.equal(await count(), before + 1)
  })

  it('that loses its connection during its COMMIT has an unknown outcome', async () => {
    await query(`
      CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE TABLE fragile (n integer);
      CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON fragile DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_session()`)
    const lost = database.system.transaction(({ write }) =>
      write(statement('INSERT INTO fragile VALUES (1)')),
    )
    await assert.rejects(lost, (error) => error instanceof Problem && error.code === 'outcome_unknown')
  })
  for (const failing of ['SET LOCAL idle', 'ROLLBACK']) {
    it(`whose ${failing.slice(0, 9)} fails does not leave its connection to the next request`, async () => {
      const { hostname, port } = new URL(url)
      const proxy = await startTcpProxy({
        target: () => ({ hostname, port: Number(port) }),
        forward: (client, server) =>
          client.on('data', (bytes) => {
            // The server refuses the changed word.
            server.write(bytes.toString('latin1').replace(failing, failing.replace(/.$/, 'X')), 'latin1')
          }),
      })
      const through = new URL(url)
      through.host = `127.0.0.1:${proxy.port}`
      const changed = createDatabase(through.toString(), createLog('silent'), { ...POOL, poolSize: 1 })
      const mistake = new TypeError('a mistake in the code')
      for (let n = 0; n < 3; n++) {
        const failed = changed.system.transaction(async () => {
          throw mistake
        })
        await assert.rejects(failed, (thrown) => failing !== 'ROLLBACK' || thrown === mistake)
        assert.deepEqual(await changed.system.read(statement('SELECT 1 AS one')), [{ one: 1 }])
      }
      await changed.close()
      await proxy.close()
    })
  }

  it('that was left open fails one request at most', async () => {
    const leftOpen = database.system.read(statement('BEGIN; SELECT 1 / 0'))
    await assert.rejects(leftOpen, /division by zero/)
    const next = database.system.read(statement('SELECT 1 AS one'))
    await assert.rejects(next, (error) => error instanceof Problem && error.code === 'database_unavailable')
    assert.deepEqual(await database.system.read(statement('SELECT 1 AS one')), [{ one: 1 }])
  })
})
