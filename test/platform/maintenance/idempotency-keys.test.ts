import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { deleteExpiredKeys } from '../../../src/agent/create-once.ts'
import { COLLECTION } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'

describe('an idempotency key', async () => {
  const running = await useConsole()
  const { database } = running
  const count = async () => (await database.query('SELECT FROM idempotency_keys')).length
  const create = async (token: string, key: string) =>
    running.request('POST', COLLECTION, {
      token,
      headers: { 'idempotency-key': key },
      json: { agent_name: 'A', model_name: 'm' },
    })

  it('is honoured until it expires; then the same request creates another agent', async () => {
    const { token } = await running.person()
    const first = await create(token, 'k')
    const now = Math.floor(Date.now() / 1_000)
    const sql = running.core.database.system
    assert.equal(await sql.transaction((statements) => deleteExpiredKeys(statements, now - 60)), false)
    assert.equal((await create(token, 'k')).body.id, first.body.id)
    await sql.transaction((statements) => deleteExpiredKeys(statements, now + 60))
    assert.notEqual((await create(token, 'k')).body.id, first.body.id)
  })

  it('is deleted by the index on its age, at most a thousand at a time', async () => {
    await database.query('DELETE FROM idempotency_keys')
    await database.query(
      `INSERT INTO idempotency_keys
       SELECT $1, 'key ' || n, '', gen_random_uuid(), n FROM generate_series(1, 20000) n`,
      [randomUUID()],
    )
    await database.query('ANALYZE idempotency_keys')
    const texts: string[] = []
    const sql = {
      read: running.core.database.system.read,
      write: <Row extends object>(statement: Parameters<typeof running.core.database.system.write>[0]) => {
        texts.push(statement.text)
        return running.core.database.system.write<Row>(statement)
      },
    }
    const left: number[] = []
    let hasMore = true
    while (hasMore) {
      hasMore = await deleteExpiredKeys(sql, 2_501)
      left.push(await count())
    }
    assert.deepEqual(left, [19_000, 18_000, 17_500])
    const plan = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${texts[0]}`.replace('$1', '9000'))
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(text, /idempotency_keys_by_age/)
    assert.doesNotMatch(text, /Seq Scan/)
  })
})
