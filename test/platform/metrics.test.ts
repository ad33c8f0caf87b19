import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Client } from 'pg'
import { MIGRATIONS } from '../../src/platform/postgres/state.ts'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { type TestConsole, useConsole } from '../support/console.ts'
import { createTestNats } from '../support/nats.ts'
import { startPrivateNats } from '../support/private-nats.ts'
import { until } from '../support/until.ts'

/** The value of a metric with these labels; undefined if there is none. */
async function metric({ core }: TestConsole, name: string): Promise<number | undefined> {
  const lines = (await core.metrics.registry.metrics()).split('\n')
  const line = lines.find((text) => text.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

describe('the metrics of the database', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { id } = await createAgent(running, person)
  const lock = async (t: TestContext, table: string) => {
    const locker = new Client({ connectionString: running.database.url })
    t.after(() => locker.end())
    await locker.connect()
    await locker.query(`BEGIN; LOCK TABLE ${table}`)
    return locker
  }

  it('do not wait for the database: a scrape has the last value', async (t) => {
    const names = ['console_outbox_waiting', 'console_database_state{state="up"}']
    // Together: a scrape makes the next values, and the state of a locked database is another one.
    const values = () => Promise.all(names.map((name) => metric(running, name)))
    await until('there are values', async () => (await values()).every((value) => value === 1))
    await lock(t, 'outbox, schema_migrations, agents')
    assert.deepEqual(await values(), [1, 1])
  })

  it('count the connections that are in use and idle', async (t) => {
    const inUse = 'console_database_connections{pool="requests",state="in_use"}'
    const idle = 'console_database_connections{pool="requests",state="idle"}'
    const locker = await lock(t, 'agents')
    const reads = Array.from({ length: 4 }, () => getAgent(running, person, id))
    await until('four are in use', async () => Number(await metric(running, inUse)) >= 4)
    await locker.end()
    await Promise.all(reads)
    await until('four are idle', async () => Number(await metric(running, idle)) >= 4)
    await until('none is in use', async () => (await metric(running, inUse)) === 0)
    assert.equal(await metric(running, 'console_database_waiting{pool="requests"}'), 0)
  })

  it('count failed statements by SQLSTATE, and connections that were lost', async () => {
    await running.database.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''failed on purpose'' USING ERRCODE = TG_ARGV[0]; END';
      CREATE TRIGGER fail BEFORE UPDATE ON agents FOR EACH ROW EXECUTE FUNCTION fail('53100')`)
    await putAgent(running, person, id, { purpose: 'p' })
    assert.equal(await metric(running, 'console_database_errors_total{sqlstate="53100"}'), 1)
    await running.database.query('DROP TRIGGER fail ON agents')
    const lost = 'console_database_connection_errors_total{pool="requests",kind="lost"}'
    const before = Number(await metric(running, lost))
    await running.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'agent-console' AND datname = current_database()`,
    )
    await until('the loss is counted', async () => Number(await metric(running, lost)) > before)
  })

  it('estimate the agents by trust stage, from the statistics of the planner', async () => {
    for (let count = 1; count < 5; count += 1) await createAgent(running, person)
    await running.database.query(
      `UPDATE agents SET trust_stage = 'tested' WHERE id IN (SELECT id FROM agents ORDER BY id LIMIT 2)`,
    )
    await running.database.query('ANALYZE agents')
    const stage = (name: string) => metric(running, `console_agents{trust_stage="${name}"}`)
    await until('they are counted', async () => (await stage('registered')) === 3)
    assert.equal(await stage('tested'), 2)
  })

  it('name the version of the schema', async () => {
    const name = `console_database_schema_info{version="${MIGRATIONS.at(-1)}"}`
    await until('it is known', async () => (await metric(running, name)) === 1)
  })
})

describe('the metrics of event delivery', async () => {
  const server = await startPrivateNats()
  closeAfter(() => server.remove())
  const nats = await createTestNats(server.url)
  closeAfter(() => nats.close())
  const running = await useConsole({ environment: nats.environment })
  const failures = async () => Number(await metric(running, 'console_event_delivery_failures_total'))

  it('tell whether NATS is connected, and count failures while it is not', async () => {
    await until('it is connected', async () => (await metric(running, 'console_nats_connected')) === 1)
    await server.kill()
    await until('it is not', async () => (await metric(running, 'console_nats_connected')) === 0)
    const before = await failures()
    await until('failures are counted', async () => (await failures()) > before)
    await server.start()
    await until('it is connected again', async () => (await metric(running, 'console_nats_connected')) === 1)
  })
})
