import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'
import { until } from '../support/until.ts'

describe('when the database goes away', async () => {
  const postgres = await startPrivatePostgres()
  await migrate(postgres.url, () => {})
  const running = await useConsole({
    environment: { DATABASE_URL: postgres.url },
  })
  closeAfter(() => postgres.remove())
  const person = await running.person()
  const { id } = await createAgent(running, person)

  for (const mode of ['fast', 'immediate'] as const) {
    it(`by a stop that is ${mode}, agent operations return 503, and work again after the restart`, async () => {
      await postgres.stop(mode)
      for (const reply of [
        await getAgent(running, person, id),
        await putAgent(running, person, id, { purpose: mode }),
        await running.request('POST', COLLECTION, {
          token: person.token,
          json: { agent_name: 'A', model_name: 'm' },
        }),
      ]) {
        assert.equal(reply.status, 503, reply.text)
        assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
        assert.match((reply.body as { code: string }).code, /^(database_unavailable|outcome_unknown)$/)
      }
      const ready = await running.request('GET', '/health/ready')
      assert.equal(ready.status, 200)
      assert.equal(ready.body.status, 'degraded')
      assert.equal(ready.body.dependencies.database, 'down')

      await postgres.start()
      assert.equal((await putAgent(running, person, id, { purpose: mode })).status, 200)
      await until('the replica is ready', async () => {
        const { body } = await running.request('GET', '/health/ready')
        return body.status === 'ready'
      })
    })
  }

  it('a missing permission is still refused, and recorded when the database is back', async () => {
    const reader = await running.person({ scope: 'agent:read' })
    await postgres.stop()
    const reply = await putAgent(running, reader, id, {}, { 'x-request-id': 'recorded-later' })
    assert.equal(reply.status, 403)
    await postgres.start()
    const { token } = await running.person({ team: reader.team })
    await until('the event is stored', async () => {
      const { body } = await running.request('GET', '/v1/audit-events', { token })
      return body.results?.length === 1 && body.results[0].request_id === 'recorded-later'
    })
  })

  it('in the middle of a write, the response is that the outcome is unknown', async () => {
    const blocker = new Client({ connectionString: postgres.url })
    blocker.on('error', () => {})
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [id])
    const waiting = putAgent(running, person, id, { purpose: 'unknown' })
    await until('the write waits for its lock', async () => {
      const { rowCount } = await blocker.query('SELECT FROM pg_locks WHERE NOT granted')
      return rowCount !== 0
    })
    await postgres.stop('immediate')
    const reply = await waiting
    assert.equal(reply.status, 503)
    assert.equal((reply.body as unknown as { code: string }).code, 'outcome_unknown')
    await blocker.end().catch(() => {})
    await postgres.start()
  })
})
