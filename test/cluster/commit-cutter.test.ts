import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { closeAfter } from '../support/close-after.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { startCommitCutter } from './commit-cutter.ts'

const CHANGE = 'UPDATE agents SET n = n + $1'

describe('the cutter of commits', async () => {
  const database = await createEmptyDatabase()
  const cutter = await startCommitCutter(database.url)
  closeAfter(async () => {
    await cutter.close()
    await database.drop()
  })
  await database.query('CREATE TABLE agents (n integer)')
  const connect = async () => {
    const client = new Client({ connectionString: cutter.url })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const stored = async () => (await database.query<{ n: number }>('SELECT n FROM agents'))[0]?.n

  beforeEach(async () => {
    await database.query('TRUNCATE agents')
    await database.query('INSERT INTO agents VALUES (0)')
  })

  for (const name of ['change-agent', undefined]) {
    it(`cuts after a ${name ? 'named' : 'unnamed'} statement, which the server runs`, async () => {
      const client = await connect()
      cutter.cut(1)
      await assert.rejects(client.query({ ...(name && { name }), text: CHANGE, values: [1] }))
      assert.equal(cutter.left(), 0)
      await until('the change is there', async () => (await stored()) === 1)
    })
  }

  it('cuts after the COMMIT of a transaction, and not within it', async () => {
    const client = await connect()
    cutter.cut(1)
    await client.query('BEGIN')
    await client.query(CHANGE, [1])
    await client.query(CHANGE, [1])
    await assert.rejects(client.query('COMMIT'))
    await until('the change is there', async () => (await stored()) === 2)
  })

  it('does not cut a read, another write, a rollback, or more than it should', async () => {
    const client = await connect()
    cutter.cut(1)
    await client.query('SELECT n FROM agents WHERE n > $1', [0])
    await client.query('CREATE TEMPORARY TABLE other (n integer)')
    await client.query('INSERT INTO other VALUES ($1)', [1])
    await client.query('BEGIN')
    await client.query(CHANGE, [1])
    await client.query('ROLLBACK')
    assert.equal(cutter.left(), 1)
    cutter.cut(0)
    await client.query(CHANGE, [1])
    await client.end()
    assert.equal(await stored(), 1)
  })
})
