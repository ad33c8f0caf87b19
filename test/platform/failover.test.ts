import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import type { Agent } from '../../src/agent/schema.ts'
import { codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { createMovingAddress } from '../support/moving-address.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'
import { until } from '../support/until.ts'

describe('when connections become read-only while new ones can write', async () => {
  const postgres = await startPrivatePostgres()
  await migrate(postgres.url, () => {})
  const administrator = new Client({ connectionString: postgres.url, application_name: 'administrator' })
  await administrator.connect()
  // A session of the administrator stays as it is; a setting of the database holds for sessions that begin later.
  await administrator.query('SET default_transaction_read_only = off')
  const demote = async () => {
    await administrator.query('ALTER DATABASE postgres SET default_transaction_read_only = off')
    await administrator.query('ALTER SYSTEM SET default_transaction_read_only = on')
    await administrator.query('SELECT pg_reload_conf()')
  }
  const running = await useConsole({ environment: { DATABASE_URL: postgres.url } })
  closeAfter(async () => {
    await administrator.end()
    await postgres.remove()
  })
  const person = await running.person()
  const { id } = await createAgent(running, person)
  const sessions = async () => {
    const { rows } = await administrator.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-console' ORDER BY pid`,
    )
    return rows.map(({ pid }) => pid)
  }

  it('one write is refused, and the other connections leave the pool before they refuse another', async () => {
    const locker = new Client({ connectionString: postgres.url })
    await locker.connect()
    await locker.query('BEGIN; LOCK TABLE agents')
    const reads = Array.from({ length: 8 }, () => getAgent(running, person, id))
    await until('eight connections are open', async () => (await sessions()).length >= 8)
    await locker.end()
    await Promise.all(reads)
    const before = await sessions()

    await demote()
    const write = () => putAgent(running, person, id, { purpose: randomUUID() })
    await until('a connection refuses a write', async () => {
      const reply = await write()
      if (reply.status === 200) return false
      assert.equal(reply.status, 503, reply.text)
      assert.equal(codeOf(reply), 'database_unavailable')
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
      return true
    })
    for (let n = 0; n < 20; n++) assert.equal((await write()).status, 200)
    // The idle ones are closed when their turn comes.
    await Promise.all(Array.from({ length: 16 }, () => getAgent(running, person, id)))
    await until('no old connection is open', async () => {
      const now = await sessions()
      return before.every((pid) => !now.includes(pid))
    })
  })
})

describe('when the address of the database moves to a standby that was promoted', async () => {
  const old = await startPrivatePostgres()
  await migrate(old.url, () => {})
  const promoted = await startPrivatePostgres({ standbyOf: old })
  const address = await createMovingAddress(old.url)
  const running = await useConsole({ environment: { DATABASE_URL: address.url } })
  const person = await running.person()
  // One after another, on one connection.
  const agents: Agent[] = []
  for (let n = 0; n < 16; n++) agents.push(await createAgent(running, person))
  const id = agents[0]?.id ?? ''
  const [atOld, atPromoted] = [old, promoted].map(({ url }) => new Client({ connectionString: url })) as [
    Client,
    Client,
  ]
  await Promise.all([atOld.connect(), atPromoted.connect()])
  closeAfter(async () => {
    await Promise.all([atOld.end(), atPromoted.end(), address.close()])
    await Promise.all([old.remove(), promoted.remove()])
  })
  const purposeAt = async (server: Client) => {
    const { rows } = await server.query<{ purpose: string }>('SELECT purpose FROM agents WHERE id = $1', [id])
    return rows[0]?.purpose
  }

  it('connections to the former primary leave the pool, although they still accept writes', async () => {
    await until(
      'the standby has the agents',
      async () => (await atPromoted.query('SELECT FROM agents')).rowCount === 16,
    )
    await promoted.promote()
    address.moveTo(promoted.url)

    // A connection to the former primary is busy, so that the next statement opens a new one.
    await atOld.query('BEGIN; LOCK TABLE agents')
    const reads = Array.from({ length: 16 }, () => getAgent(running, person, id))
    await Promise.any(reads)
    await atOld.query('COMMIT')
    for (const { status } of await Promise.all(reads)) assert.equal(status, 200)

    // As many at once as the pool has connections: each of them is used.
    const writes = agents.map((agent) => putAgent(running, person, agent.id, { purpose: 'promoted' }))
    for (const { status } of await Promise.all(writes)) assert.equal(status, 200)
    const written = `SELECT FROM agents WHERE purpose = 'promoted'`
    assert.equal((await atPromoted.query(written)).rowCount, 16)
    assert.equal((await atOld.query(written)).rowCount, 0)
  })

  it('the former primary is refused if the address moves back', async () => {
    address.moveTo(old.url)
    await atPromoted.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-console'`,
    )
    await until('the former primary is refused', async () => {
      await getAgent(running, person, id)
      return running.logLines.some((line) => line.includes('The server is a former primary'))
    })
    assert.equal((await putAgent(running, person, id, { purpose: 'former' })).status, 503)
    assert.equal(await purposeAt(atOld), null)

    address.moveTo(promoted.url)
    assert.equal((await putAgent(running, person, id, { purpose: 'again' })).status, 200)
    assert.equal(await purposeAt(atPromoted), 'again')
  })
})
