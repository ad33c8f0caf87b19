import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { COLLECTION, getAgent, putAgent } from '../../support/agents.ts'
import { startCardServer } from '../../support/card-server.ts'
import { closeAfter } from '../../support/close-after.ts'
import { type Person, useConsole, useReplica } from '../../support/console.ts'
import { asPlanned, IMPORTS, importRows, shown } from '../../support/imports.ts'
import { until } from '../../support/until.ts'
import { waitingForLock } from '../../support/waiting-for-lock.ts'

const CARD = {
  ...{ name: 'Route planner', description: 'Plans routes.', version: '1.0.0', capabilities: {}, skills: [] },
  supportedInterfaces: [
    { url: 'https://agents.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
}

describe('an import or a refresh of an agent that changes at the same time', async () => {
  const server = await startCardServer()
  closeAfter(() => server.close())
  const running = await useConsole({
    environment: {
      OUTBOUND_ALLOWED_CIDRS: '127.0.0.0/8',
      OUTBOUND_ALLOWED_PORTS: String(server.port),
      ALLOW_INSECURE: 'http_outbound',
    },
  })
  const replica = await useReplica(running)
  const row = (key: string, fields: object = {}) => ({
    ...{ external_key: key, agent_name: key, model_name: 'm' },
    ...fields,
  })

  /** Runs the work while a transaction has changed the agent. The transaction ends when so many requests wait for it. */
  const whileChanging = async <Result>(
    { team }: Person,
    id: string,
    work: () => Promise<Result>,
    count = 1,
  ) => {
    const writer = new Client({ connectionString: running.database.url })
    await writer.connect()
    try {
      await writer.query('BEGIN')
      await writer.query(`UPDATE agents SET revision = 2, hub = 'theirs' WHERE id = $1`, [id])
      await writer.query(
        `INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
         VALUES ($1, $2, 2, 0, $2, 'updated', '{hub}', '{"hub": null}')`,
        [team, id],
      )
      const result = work()
      await until('it waits', async () => (await waitingForLock(running.database)).length === count)
      await writer.query('COMMIT')
      return await result
    } finally {
      await writer.end()
    }
  }

  it('does not apply a row to a revision that the dry run has not seen', async () => {
    const person = await running.person()
    const rows = [row('a', { purpose: 'planned' })]
    const id = (await importRows(running, person, [row('a')])).results[0]?.agent_id as string
    const dry = await importRows(running, person, rows, { query: '?dry_run=true' })
    const { results } = await whileChanging(person, id, () =>
      importRows(running, person, asPlanned(rows, dry)),
    )
    assert.deepEqual(shown(results), [['a', 'conflict', 2, '', 'revision_stale']])
    const { body } = await getAgent(running, person, id)
    assert.deepEqual([body.purpose, body.hub], [null, 'theirs'])
  })

  it('without an expected revision applies its own fields and keeps the others', async () => {
    const person = await running.person()
    const id = (await importRows(running, person, [row('a')])).results[0]?.agent_id as string
    const { results } = await whileChanging(person, id, () =>
      importRows(running, person, [row('a', { purpose: 'imported' })]),
    )
    assert.deepEqual(shown(results), [['a', 'update', 3, 'purpose']])
    const { body } = await getAgent(running, person, id)
    assert.deepEqual([body.purpose, body.hub], ['imported', 'theirs'])
  })

  it('does not refresh an agent from its card at a revision that it has not read', async () => {
    const person = await running.person()
    const { token } = person
    server.documents.set('/card.json', CARD)
    const imported = await running.request('POST', IMPORTS, {
      ...{ token, json: { card_url: `${server.url}/card.json` } },
    })
    const id = imported.body.results[0].agent_id as string
    server.documents.set('/card.json', { ...CARD, version: '2.0' })
    const reply = await whileChanging(person, id, () =>
      running.request('POST', `${COLLECTION}/${id}/refresh-card`, { token }),
    )
    assert.deepEqual([reply.status, reply.body.code], [412, 'revision_stale'])
    const { body } = await getAgent(running, person, id)
    assert.equal(body.agent_metadata?.version, '1.0.0')
  })

  it('that has to end returns a result for each row, also with a key', async () => {
    const person = await running.person()
    const { results } = await importRows(running, person, [row('a')])
    const { shutdown } = running.core
    const first = results[0]?.agent_id as string
    const writer = new Client({ connectionString: running.database.url })
    await writer.connect()
    await writer.query('BEGIN')
    await writer.query('UPDATE agents SET revision = 2 WHERE id = $1', [first])
    const headers = { 'idempotency-key': randomUUID() }
    const reply = importRows(replica, person, [row('a', { purpose: 'imported' })], { headers })
    await until('it waits', async () => (await waitingForLock(running.database)).length === 1)
    shutdown.hasBegun = true
    await writer.query('COMMIT')
    const ended = await reply.finally(() => (shutdown.hasBegun = false))
    await writer.end()
    assert.deepEqual(shown(ended.results), [['a', 'failed', null, '', 'overloaded']])
  })

  it('that was interrupted continues with the same key, and keeps what has changed since', async () => {
    const person = await running.person()
    const rows = [row('done', { purpose: 'imported' }), row('deleted'), row('rest')]
    const send = { headers: { 'idempotency-key': randomUUID() } }
    await running.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON agents FOR EACH ROW WHEN (NEW.agent_name = 'rest') EXECUTE FUNCTION refuse()`)
    const first = await importRows(running, person, rows, send)
    assert.deepEqual(
      first.results.map(({ action, error }) => [action, error?.code]),
      [
        ['create', undefined],
        ['create', undefined],
        ['failed', 'internal'],
      ],
    )
    await running.database.query('DROP FUNCTION refuse CASCADE')
    const id = first.results[0]?.agent_id as string
    await putAgent(running, person, id, { purpose: 'changed since' })
    const deleted = `${COLLECTION}/${first.results[1]?.agent_id}`
    assert.equal((await running.request('DELETE', deleted, { token: person.token })).status, 204)
    const second = await importRows(running, person, rows, send)
    assert.deepEqual(shown(second.results), [
      ['done', 'create', 1, 'agent_name,model_name,purpose'],
      ['deleted', 'create', 1, 'agent_name,model_name'],
      ['rest', 'create', 1, 'agent_name,model_name'],
    ])
    assert.equal((await getAgent(running, person, id)).body.purpose, 'changed since')
  })

  it('returns the same results to a repetition that runs at the same time', async () => {
    const person = await running.person()
    const id = (await importRows(running, person, [row('a')])).results[0]?.agent_id as string
    const rows = [row('a', { purpose: 'imported' })]
    const send = { headers: { 'idempotency-key': randomUUID() } }
    const both = () => Promise.all([running, replica].map((at) => importRows(at, person, rows, send)))
    for (const { results } of await whileChanging(person, id, both, 2)) {
      assert.deepEqual(shown(results), [['a', 'update', 3, 'purpose']])
    }
  })
})
