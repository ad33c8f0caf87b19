import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { AgentRevision } from '../../src/agent/history/schema.ts'
import type { AuditEvent } from '../../src/features/audit/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('the reason of a change', async () => {
  const running = await useConsole()
  const person = await running.person()

  const because = (reason: string) => ({ 'console-change-reason': reason })
  const send = (method: string, path: string, reason: string, json?: object) =>
    running.request(method, COLLECTION + path, {
      token: person.token,
      headers: because(reason),
      ...(json && { json }),
    })
  const revisionsOf = async (id: string): Promise<AgentRevision[]> =>
    (await running.request('GET', `${COLLECTION}/${id}/revisions`, { token: person.token })).body.results
  const auditOf = async (id: string): Promise<AuditEvent[]> =>
    (await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })).body.results
  const waiting = (id: string) =>
    running.database.query<{ revision: number; payload: { reason?: string } }>(
      'SELECT revision::int, payload FROM outbox WHERE aggregateid = $1 ORDER BY revision DESC',
      [id],
    )

  it('is with the revision, the event and the audit event of every change', async () => {
    const created = await send('POST', '', 'r1', { agent_name: 'A', model_name: 'm' })
    assert.equal(created.status, 201, created.text)
    const { id } = created.body
    const changes = [
      ['PUT', `/${id}`, { purpose: 'x' }],
      ['POST', `/${id}/revisions/1/restore`],
      ['PUT', `/${id}/lifecycle`, { trust_stage: 'tested' }],
      ['PUT', `/${id}/secrets/crm`, { value: 'a-named-secret' }],
      ['DELETE', `/${id}/secrets/crm`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/recover`],
    ] as const
    for (const [index, [method, path, json]] of changes.entries()) {
      const reply = await send(method, path, `r${index + 2}`, json)
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    }
    const expected = ['r8', 'r7', 'r6', 'r5', 'r4', 'r3', 'r2', 'r1']
    assert.deepEqual(
      (await revisionsOf(id)).map(({ reason }) => reason),
      expected,
    )
    assert.deepEqual(
      (await waiting(id)).map(({ payload }) => payload.reason),
      expected,
    )
    assert.deepEqual(
      (await auditOf(id)).map(({ reason }) => reason),
      expected,
    )
  })

  it('is in the audit event of a change that makes no revision', async () => {
    const { id } = await createAgent(running, person, { purpose: 'old' })
    await putAgent(running, person, id, { purpose: 'new' }, because('kept with the revision'))
    const evaluation = { evaluation_id: randomUUID(), revision: 1 }
    await send('PUT', `/${id}/latest-evaluation`, 'nightly run', evaluation)
    await send('POST', `/${id}/revisions/1/redact`, 'request 17', { fields: ['purpose'] })
    assert.deepEqual(
      (await auditOf(id)).map(({ action, reason }) => [action, reason]),
      [
        ['agent_revision_redacted', 'request 17'],
        ['agent_evaluation_recorded', 'nightly run'],
        ['agent_updated', 'kept with the revision'],
        ['agent_created', null],
      ],
    )
  })

  it('is null in the history, and absent from the event, when none is given', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'x' }, because(''))
    await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
    assert.deepEqual(
      (await auditOf(id)).map(({ reason }) => reason),
      [null, null, null],
    )
    for (const { payload } of await waiting(id)) assert.ok(!('reason' in payload))
  })

  it('of a change of the trust stage is that of the body before that of the header', async () => {
    const { id } = await createAgent(running, person)
    await send('PUT', `/${id}/lifecycle`, 'header', { trust_stage: 'tested', reason: 'body' })
    assert.deepEqual((await revisionsOf(id))[0]?.reason, 'body')
    assert.deepEqual((await waiting(id))[0]?.payload.reason, 'body')
    const reason = 'with ghp_0123456789abcdefghij0123'
    const refused = await send('PUT', `/${id}/lifecycle`, '', { trust_stage: 'trusted', reason })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.detail[0].loc, ['body', 'reason'])
  })

  it('takes every language, as UTF-8 or percent-encoded', async () => {
    const { id } = await createAgent(running, person)
    const text = 'Größe: 日本語 🙂, 100 % & "quoted"'
    const encoded = encodeURIComponent(text)
    const asBytes = Buffer.from(text.replace('%', '%25')).toString('latin1')
    for (const [index, header] of [encoded, asBytes, encodeURIComponent('🙂'.repeat(500))].entries()) {
      const reply = await putAgent(running, person, id, { purpose: `${index}` }, because(header))
      assert.equal(reply.status, 200, reply.text)
    }
    const [long, ...others] = (await revisionsOf(id)).map(({ reason }) => reason)
    assert.equal(long, '🙂'.repeat(500))
    assert.deepEqual(others, [text, text, null])
  })

  it('that cannot be shown, is too long or contains a credential is refused, and nothing changes', async () => {
    const { id } = await createAgent(running, person)
    const before = await getAgent(running, person, id)
    for (const [header, type] of [
      ['x'.repeat(501), 'string_too_long'],
      [encodeURIComponent('🙂'.repeat(501)), 'string_too_long'],
      ['100 % sure', 'value_error'],
      ['\xe9', 'value_error'],
      ['%FF', 'value_error'],
      ['a%00b', 'value_error'],
      ['a%0Ab', 'value_error'],
      ['a\tb', 'value_error'],
      ['a%E2%80%A8b', 'value_error'],
      ['a%E2%80%AEb', 'value_error'],
      ['key sk-proj-0123456789abcdefghij', 'value_error'],
      ['https://user:pass@host.example', 'value_error'],
    ] as const) {
      const reply = await send('PUT', `/${id}`, header, { purpose: 'x' })
      assert.equal(reply.status, 422, header)
      const [{ loc, type: found, msg }] = reply.body.detail
      assert.deepEqual([loc, found], [['header', 'console-change-reason'], type], header)
      assert.ok(!msg.includes(header))
    }
    const after = await getAgent(running, person, id)
    assert.deepEqual([after.text, after.headers.get('etag')], [before.text, '"1"'])
    const read = await getAgent(running, person, id, { headers: because('100 %') })
    assert.equal(read.status, 200, 'a read has no reason')
  })

  it('can be redacted: from the history, the audit log and an event that waits', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'a' }, because('canary-reason'))
    await putAgent(running, person, id, { purpose: 'b' }, because('kept-reason'))
    const path = `/${id}/revisions/2/redact`
    const reply = await send('POST', path, 'names a person', { fields: ['reason', 'purpose', 'reason'] })
    assert.equal(reply.status, 204, reply.text)
    const [third, second] = await revisionsOf(id)
    assert.deepEqual([third?.reason, third?.redacted], ['kept-reason', ['purpose']])
    assert.deepEqual([second?.reason, second?.redacted], [null, ['reason']])
    const [redaction, ...changes] = await auditOf(id)
    assert.deepEqual(redaction?.detail, {
      revision: 2,
      fields: ['reason', 'purpose'],
      reason: 'names a person',
    })
    assert.deepEqual(
      changes.map(({ reason }) => reason),
      ['kept-reason', null, null],
    )
    const [, event] = await waiting(id)
    assert.deepEqual(Object.keys(event?.payload ?? {}), ['fields', 'changed_by', 'changed_at'])
    const tables = ['agents', 'agent_revisions', 'outbox', 'audit_events']
    for (const table of tables) {
      const rows = await running.database.query(
        `SELECT t::text FROM ${table} t WHERE t::text LIKE '%canary%'`,
      )
      assert.deepEqual(rows, [], table)
    }
  })

  it('can be redacted alone, of the newest revision, again and again', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'a' }, because('gone'))
    for (let times = 0; times < 2; times++) {
      const reply = await send('POST', `/${id}/revisions/2/redact`, '', { fields: ['reason'] })
      assert.equal(reply.status, 204, reply.text)
    }
    assert.deepEqual((await revisionsOf(id))[0]?.redacted, ['reason'])
    assert.equal((await send('POST', `/${id}/revisions/3/redact`, '', { fields: ['reason'] })).status, 404)
  })
})
