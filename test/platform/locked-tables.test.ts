import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { useConsoleWithNats } from '../support/console-with-nats.ts'
import { placesTaken } from '../support/places.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

/** Holds locks in a transaction until `release`. */
async function lock(url: string, statement: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(statement, values)
  return { release: () => client.end() }
}

describe('while another session holds locks', () => {
  it('a write that waits too long for its row is refused as agent_busy and changes nothing', async () => {
    const running = await useConsole({ limits: { lockTimeoutMs: 50 } })
    const person = await running.person()
    const { id } = await createAgent(running, person, { purpose: 'before' })
    const blocker = await lock(running.database.url, 'SELECT FROM agents WHERE id = $1 FOR UPDATE', [id])
    const reply = await putAgent(running, person, id, { purpose: 'after' })
    assert.deepEqual([reply.status, codeOf(reply)], [503, 'agent_busy'])
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    await blocker.release()
    assert.equal((await getAgent(running, person, id)).body.purpose, 'before')
  })

  it('refusals of many users take no connection of a request, and have one audit event each', async () => {
    const running = await useConsole()
    const other = await running.person()
    const { id } = await createAgent(running, other)
    const { team } = await running.person()
    const users = await Promise.all(
      Array.from({ length: 40 }, () => running.person({ team, scope: 'nothing' })),
    )
    const blocker = await lock(running.database.url, 'LOCK TABLE audit_events IN SHARE MODE')
    const refused = Promise.all(users.map((user) => getAgent(running, user, id)))
    const inserts = async () => (await waitingForLock(running.database, 'INTO audit_events')).length
    await until('an audit event waits for the lock', async () => (await inserts()) > 0)
    for (let round = 0; round < 3; round++) {
      assert.equal((await getAgent(running, other, id)).status, 200)
      assert.equal(await inserts(), 1)
    }
    await blocker.release()
    for (const { status } of await refused) assert.equal(status, 403)
    const [row] = await running.database.query<{ events: number; users: number }>(
      `SELECT count(*)::int AS events, count(DISTINCT user_id)::int AS users FROM audit_events WHERE team_id = $1`,
      [team],
    )
    assert.deepEqual(row, { events: users.length, users: users.length })
  })

  it('health checks share one look at the outbox and take no connection of a request', async () => {
    const { running } = await useConsoleWithNats({ environment: { RELAY: 'off' } })
    const person = await running.person()
    const { id } = await createAgent(running, person)
    const blocker = await lock(running.database.url, 'LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE')
    const checks = Array.from({ length: 40 }, () => running.request('GET', '/health/ready'))
    const readers = async () => (await waitingForLock(running.database, 'FROM outbox')).length
    let most = 0
    let isDone = false
    const checked = Promise.all(checks).finally(() => (isDone = true))
    while (!isDone) most = Math.max(most, await readers())
    assert.equal(most, 1)
    for (const check of await checked) assert.equal(check.body.delivery.state, 'unknown')
    assert.equal((await getAgent(running, person, id)).status, 200)
    await blocker.release()
  })
})

it('a request gives back its places at the database, whatever its response is', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { id } = await createAgent(running, person)
  const missing = randomUUID()
  for (const [method, path, options] of [
    ['GET', `/${id}`, {}],
    ['HEAD', `/${id}`, {}],
    ['GET', `/${missing}`, {}],
    ['GET', '?q=x', {}],
    ['PUT', `/${id}`, { raw: '{' }],
    ['PUT', `/${id}`, { json: { purpose: 'x' }, headers: { 'if-match': '"999"' } }],
    ['DELETE', `/${missing}`, {}],
    ['GET', `/${id}/revisions/1/diff?against=1`, {}],
    ['GET', `/${id}/revisions/7`, {}],
  ] as const) {
    const reply = await running.request(method, `${COLLECTION}${path}`, { ...options, token: person.token })
    assert.ok(reply.status < 500, `${method} ${path} ${reply.status}`)
  }
  assert.deepEqual([await placesTaken(running, 'requests'), await placesTaken(running, 'searches')], [0, 0])
})
