import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { rotateSecrets } from '../../scripts/rotate-secrets.ts'
import { Secrets } from '../../src/platform/crypto/secrets.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTestNats } from '../support/nats.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { until } from '../support/until.ts'

const FIRST_KEY = { id: 'first', key: randomBytes(32) }

describe('through PgBouncer in transaction mode', async () => {
  const database = await createTestDatabase()
  closeAfter(() => database.drop())
  const bouncer = await startPgBouncer(database.url)
  closeAfter(() => bouncer.remove())
  const nats = await createTestNats()
  closeAfter(() => nats.remove())
  const running = await useConsole({
    environment: {
      ...nats.environment,
      DATABASE_URL: bouncer.url,
      SECRETS_KEYS: `${FIRST_KEY.id}:${FIRST_KEY.key.toString('base64')}`,
    },
  })
  const person = await running.person()
  const warnings = () => running.logLines.filter((line) => line.includes('pooler')).join('\n')

  it('every operation works on whichever connection to PostgreSQL it gets', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => createAgent(running, person)))
    for (let round = 1; round <= 3; round++) {
      const replies = await Promise.all(
        agents.flatMap(({ id }) => [
          putAgent(running, person, id, { purpose: `round ${round}` }),
          getAgent(running, person, id),
          running.request('GET', `${COLLECTION}?q=agent&include_count=true`, { token: person.token }),
        ]),
      )
      for (const { status, text } of replies) assert.equal(status, 200, text)
    }
    assert.equal((await running.request('GET', '/health/ready')).body.status, 'ready')
  })

  it('the relay delivers events without notifications', async () => {
    await createAgent(running, person)
    await until('the outbox is empty', async () => {
      const rows = await database.query('SELECT FROM outbox LIMIT 1')
      return rows.length === 0
    })
    const stored = await nats.readAll()
    const [row] = await database.query<{ count: number }>(
      'SELECT sum(revision)::integer AS count FROM agents',
    )
    assert.equal(stored.length, row?.count)
  })

  it('the log names what the pooler cannot do, and how to help', async () => {
    await until('all is said', () => warnings().includes('RELAY_DATABASE_URL'))
    assert.match(warnings(), /does not support prepared statements/)
    assert.match(warnings(), /drops statement_timeout/)
  })

  it('secrets are rotated more than once', async () => {
    await createAgent(running, person, { api_key: 'sk-before' })
    let keys = [FIRST_KEY]
    for (const id of ['second', 'third']) {
      const client = new Client({ connectionString: bouncer.url })
      await client.connect()
      keys = [{ id, key: randomBytes(32) }, ...keys]
      try {
        assert.equal(await rotateSecrets(client, new Secrets(keys), { report: () => {} }), 0)
      } finally {
        await client.end()
      }
    }
  })
})

describe('a PgBouncer that refuses the parameters of the console', async () => {
  const database = await createTestDatabase()
  closeAfter(() => database.drop())
  const bouncer = await startPgBouncer(database.url, ['ignore_startup_parameters ='])
  closeAfter(() => bouncer.remove())
  const running = await useConsole({ environment: { DATABASE_URL: bouncer.url } })

  it('is named in the log from the start, with the setting to change', async () => {
    await until('the log has it', () =>
      running.logLines.some((line) => line.includes('ignore_startup_parameters')),
    )
    const { body } = await running.request('GET', '/health/ready')
    assert.deepEqual([body.status, body.dependencies.database], ['degraded', 'down'])
  })
})
