import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { eraseStep } from '../../../src/agent/lifecycle/erase.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole, useReplica } from '../../support/console.ts'
import { asPlanned, importRows, sendImport, shown } from '../../support/imports.ts'

describe('an import of rows', async () => {
  const running = await useConsole()
  const replica = await useReplica(running)
  const auditOf = async ({ token }: Person, id: string) =>
    (await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token })).body.results
  const idOf = async (person: Person, key: string) => {
    const [found] = await running.database.query<{ agent_id: string }>(
      'SELECT agent_id FROM imported_agents WHERE team_id = $1 AND external_key = $2',
      [person.team, key],
    )
    return found?.agent_id as string
  }
  const row = (key: string, fields: object = {}) => ({
    ...{ external_key: key, agent_name: key, model_name: 'm' },
    ...fields,
  })

  it('creates, updates and leaves agents, each with its revision, event, audit event and reason', async () => {
    const person = await running.person()
    const secret = 'sk-canary-0123456789abcdef'
    const rows = [
      row('a', { skills: [{ id: 's', name: 'S' }], api_key: secret, trust_stage: 'trusted', made_up: 1 }),
      row('b', { agent_params: { note: `ghp_${'a1B2'.repeat(9)}` } }),
      row('c'),
    ]
    const first = await sendImport(running, person, rows)
    assert.deepEqual(shown(first.body.results), [
      ['a', 'create', 1, 'agent_name,model_name,api_key,skills'],
      ['b', 'create', 1, 'agent_name,model_name,agent_params'],
      ['c', 'create', 1, 'agent_name,model_name'],
    ])
    assert.equal(first.text.includes(secret), false)
    assert.deepEqual(first.body.results[0]?.warnings, [
      'The import ignores these members: trust_stage, made_up.',
    ])
    assert.match(first.body.results[1]?.warnings[0] ?? '', /^The value at \/agent_params\/note looks like/)
    const changes = [
      { external_key: 'a', skills: [], capabilities: { streaming: true }, api_key: secret },
      { external_key: 'b', purpose: 'new', agent_name: null },
      row('c'),
    ]
    const headers = { 'console-change-reason': 'because' }
    const second = await importRows(running, person, changes, { headers })
    assert.deepEqual(shown(second.results), [
      ['a', 'update', 2, 'capabilities,skills'],
      ['b', 'update', 2, 'purpose'],
      ['c', 'unchanged', 1, ''],
    ])
    assert.deepEqual(second.counts, { create: 0, update: 2, unchanged: 1, conflict: 0, failed: 0 })
    const id = second.results[1]?.agent_id as string
    const { body } = await getAgent(running, person, id)
    assert.deepEqual([body.agent_name, body.purpose, body.trust_stage], ['b', 'new', 'registered'])
    const audit = await auditOf(person, id)
    assert.deepEqual(
      audit.map(({ action, via, reason }: Record<string, unknown>) => [action, via, reason]),
      [
        ['agent_updated', 'import', 'because'],
        ['agent_created', 'import', null],
      ],
    )
    const outbox = await running.database.query('SELECT FROM outbox WHERE aggregateid = $1', [id])
    assert.equal(outbox.length, 2)
    const logged = running.logLines.some((line) => line.includes(secret))
    assert.equal(logged, false)
  })

  it('reports the faults of a row as a 422 does, and applies the others', async () => {
    const person = await running.person()
    const rows = [
      row('ok'),
      { external_key: 'incomplete', purpose: 'p' },
      row('wrong', { status: 'unknown', agent_params: { temperature: 'warm' }, guard_config_id: 'x' }),
      row('twice'),
      { agent_name: 'no key', model_name: 'm' },
      row('twice', { purpose: 'other' }),
      row('masked', { api_key: '********' }),
      row('url', { agent_url: 'https://user:secret@example.com' }),
      row('x'.repeat(513), { agent_name: 'n' }),
      null,
      row('revision', { expected_revision: -1 }),
    ]
    const { results, counts } = await importRows(running, person, rows)
    assert.deepEqual(counts, { create: 1, update: 0, unchanged: 0, conflict: 0, failed: 10 })
    const faults = results.map((item) =>
      item.faults.map(({ loc, type }) => {
        assert.deepEqual(loc.slice(0, 2), ['body', item.row])
        return `${loc.slice(2).join('.')} ${type}`
      }),
    )
    assert.deepEqual(faults, [
      [],
      ['agent_name missing', 'model_name missing'],
      ['status enum', 'agent_params.temperature float_type', 'guard_config_id uuid_parsing'],
      ['external_key value_error'],
      ['external_key missing'],
      ['external_key value_error'],
      ['api_key value_error'],
      ['agent_url value_error'],
      ['external_key string_too_long'],
      [' model_attributes_type'],
      ['expected_revision greater_than_equal'],
    ])
    assert.ok(
      results
        .slice(1)
        .every(({ action, error }) => action === 'failed' && error?.code === 'validation_error'),
    )
  })

  it('applies rows with the revisions of a dry run only to agents that are as the dry run saw them', async () => {
    const person = await running.person()
    await importRows(running, person, [row('moved'), row('same'), row('gone'), row('equal')])
    const rows = ['moved', 'same', 'gone', 'equal', 'new', 'taken'].map((key) =>
      row(key, { purpose: 'planned' }),
    )
    const dry = await importRows(running, person, rows, { query: '?dry_run=true' })
    assert.deepEqual(dry.counts, { create: 2, update: 4, unchanged: 0, conflict: 0, failed: 0 })
    assert.deepEqual(shown(dry.results).slice(3, 5), [
      ['equal', 'update', 1, 'purpose'],
      ['new', 'create', 0, 'agent_name,model_name,purpose'],
    ])
    await putAgent(running, person, await idOf(person, 'moved'), { hub: 'other' })
    await putAgent(running, person, await idOf(person, 'equal'), { purpose: 'planned' })
    await running.request('DELETE', `${COLLECTION}/${await idOf(person, 'gone')}`, { token: person.token })
    await importRows(running, person, [row('taken')])
    const planned = asPlanned(rows, dry)
    const again = await importRows(running, person, planned, { query: '?dry_run=true' })
    assert.deepEqual(again.counts, { create: 1, update: 1, unchanged: 1, conflict: 3, failed: 0 })
    const applied = await importRows(running, person, planned)
    assert.deepEqual(shown(applied.results), [
      ['moved', 'conflict', 2, '', 'revision_stale'],
      ['same', 'update', 2, 'purpose'],
      ['gone', 'conflict', 2, '', 'agent_deleted'],
      ['equal', 'unchanged', 2, ''],
      ['new', 'create', 1, 'agent_name,model_name,purpose'],
      ['taken', 'conflict', 1, '', 'revision_stale'],
    ])
    assert.equal((await getAgent(running, person, await idOf(person, 'moved'))).body.purpose, null)
    // The same rows again: what they have done is not a conflict.
    const repeated = await importRows(running, person, planned)
    assert.deepEqual(repeated.counts, { create: 0, update: 0, unchanged: 3, conflict: 3, failed: 0 })
  })

  it('does not know the external keys and the agents of another team', async () => {
    const [owner, stranger] = [await running.person(), await running.person()]
    const { results } = await importRows(running, owner, [row('shared', { purpose: 'mine' })])
    const id = results[0]?.agent_id as string
    const dry = await importRows(running, stranger, [row('shared'), row(id)], { query: '?dry_run=true' })
    assert.deepEqual(
      dry.results.map(({ action, agent_id: found, revision }) => [action, found, revision]),
      [
        ['create', null, 0],
        ['create', null, 0],
      ],
    )
    const taken = await importRows(running, stranger, [
      { external_key: 'shared', purpose: 'taken over' },
      { external_key: id, purpose: 'taken over' },
    ])
    assert.equal(taken.counts.failed, 2)
    await importRows(running, stranger, [row('shared', { purpose: 'theirs' }), row(id)])
    const { body, headers } = await getAgent(running, owner, id)
    assert.deepEqual([body.purpose, headers.get('etag')], ['mine', '"1"'])
    assert.notEqual(await idOf(stranger, 'shared'), id)
  })

  it('finds an agent of the team by its id too, and refuses two rows of one agent', async () => {
    const person = await running.person()
    const { id } = await createAgent(running, person)
    const imported = (await importRows(running, person, [row('k')])).results[0]?.agent_id
    const rows = [
      { external_key: id.toUpperCase(), purpose: 'by id' },
      { external_key: 'k', purpose: 'one' },
      { external_key: imported, purpose: 'other' },
    ]
    const { results } = await importRows(running, person, rows)
    assert.deepEqual(
      results.map(({ action, agent_id: found }) => [action, found]),
      [
        ['update', id],
        ['failed', null],
        ['failed', null],
      ],
    )
    assert.match(results[1]?.faults[0]?.msg ?? '', /row 2 is the same agent/)
  })

  it('creates no agent anew that was deleted at the dry run and erased since', async () => {
    const person = await running.person()
    await importRows(running, person, [row('erased')])
    const id = await idOf(person, 'erased')
    await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
    const dry = await importRows(running, person, [row('erased')], { query: '?dry_run=true' })
    await running.database.query('UPDATE deleted_agents SET erase_at = 0 WHERE id = $1', [id])
    const { results } = await importRows(running, person, asPlanned([row('erased')], dry))
    assert.deepEqual(shown(results), [['erased', 'conflict', null, '', 'revision_stale']])
  })

  it('keeps the external key of a deleted agent until the agent is erased', async () => {
    const person = await running.person()
    const { token } = person
    await importRows(running, person, [row('a')])
    const id = await idOf(person, 'a')
    const again = async () => (await importRows(running, person, [row('a', { purpose: 'new' })])).results[0]
    await running.request('DELETE', `${COLLECTION}/${id}`, { token })
    assert.deepEqual([(await again())?.action, (await again())?.error?.code], ['conflict', 'agent_deleted'])
    await running.request('POST', `${COLLECTION}/${id}/recover`, { token })
    assert.deepEqual([(await again())?.action, (await again())?.agent_id], ['update', id])
    await running.request('DELETE', `${COLLECTION}/${id}?erase=true`, { token })
    const created = await again()
    assert.equal(created?.action, 'create')
    assert.notEqual(created.agent_id, id)
    const now = Math.floor(Date.now() / 1_000) + 10
    while (await eraseStep(running.core.database.system, now));
    assert.equal(await idOf(person, 'a'), created.agent_id)
    await running.request('DELETE', `${COLLECTION}/${created.agent_id}?erase=true`, { token })
    while (await eraseStep(running.core.database.system, now));
    assert.equal(await idOf(person, 'a'), undefined)
  })

  it('with an Idempotency-Key returns the first results and changes nothing a second time', async () => {
    const person = await running.person()
    await importRows(running, person, [row('same')])
    const rows = [row('a', { purpose: 'imported' }), row('b', { status: 'unknown' }), row('same')]
    const headers = { 'idempotency-key': randomUUID() }
    const first = await importRows(running, person, rows, { headers })
    assert.deepEqual(first.counts, { create: 1, update: 0, unchanged: 1, conflict: 0, failed: 1 })
    const id = first.results[0]?.agent_id as string
    const same = first.results[2]?.agent_id as string
    await putAgent(running, person, id, { purpose: 'changed since' })
    await putAgent(running, person, same, { model_name: 'changed since' })
    assert.deepEqual(await importRows(replica, person, rows, { headers }), first)
    assert.equal((await getAgent(running, person, id)).body.purpose, 'changed since')
    assert.equal((await getAgent(running, person, same)).body.model_name, 'changed since')
    const other = await sendImport(running, person, [row('c')], { headers })
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])
    const bulk = await running.request('POST', `${COLLECTION}/bulk`, {
      token: person.token,
      json: { agents: [{ id }], update: { purpose: 'bulk' } },
      headers,
    })
    assert.equal(bulk.body.counts.changed, 1)
  })

  it('creates each agent once when two replicas import the same rows', async () => {
    const person = await running.person()
    const rows = Array.from({ length: 40 }, (_, n) => row(`k${n}`, { purpose: 'raced' }))
    const both = await Promise.all([importRows(running, person, rows), importRows(replica, person, rows)])
    for (const { counts } of both) assert.equal(counts.create + counts.unchanged, rows.length)
    const [agents] = await running.database.query<{ count: number; revisions: number }>(
      `SELECT count(*)::int AS count, (SELECT count(*) FROM agent_revisions WHERE team_id = $1)::int AS revisions
       FROM agents WHERE team_id = $1`,
      [person.team],
    )
    assert.deepEqual(agents, { count: rows.length, revisions: rows.length })
  })

  it('does not send a stored secret to another origin, and records the refusal', async () => {
    const person = await running.person({ scope: 'agent:read agent:write audit:read' })
    const rows = [row('a', { agent_url: 'https://a.example', api_key: 'sk-0123456789abcdefghij' })]
    const id = (await importRows(running, person, rows)).results[0]?.agent_id as string
    const move = [{ external_key: 'a', agent_url: 'https://b.example' }]
    const { results } = await importRows(running, person, move)
    assert.equal(results[0]?.error?.code, 'permission_missing')
    assert.equal((await getAgent(running, person, id)).body.agent_url, 'https://a.example')
    const [latest] = await auditOf(person, id)
    assert.deepEqual([latest.action, latest.via], ['permission_refused', 'import'])
  })
})
