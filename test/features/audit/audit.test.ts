import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import { COLLECTION, createAgent, putAgent } from '../../support/agents.ts'
import { addAuditEvents, ageAudit, auditPartitions } from '../../support/audit-months.ts'
import { useConsole } from '../../support/console.ts'
import { createTestDatabase } from '../../support/database.ts'

describe('the audit', async () => {
  const running = await useConsole()
  const person = await running.person()

  const list = (query = '', by = person) =>
    running.request('GET', `/v1/audit-events${query}`, { token: by.token })
  const eventsOf = async (agentId: string): Promise<AuditEvent[]> =>
    (await list(`?agent_id=${agentId}`)).body.results

  it('has one event for each change, by whom and by which request, and none for no change', async () => {
    const other = await running.person({ team: person.team })
    const { id } = await createAgent(running, person, { purpose: 'canary', api_key: 'canary-key' })
    const changed = await putAgent(running, other, id, { hub: 'canary' }, { 'x-request-id': 'change-1' })
    await putAgent(running, other, id, { hub: 'canary' })
    await putAgent(running, other, id, { hub: 'stale' }, { 'if-match': '"1"' })
    await putAgent(running, other, id, { api_key: '********' })
    await running.request('POST', `${COLLECTION}/${id}/revisions/1/restore`, { token: person.token })
    const events = await eventsOf(id)
    assert.deepEqual(
      events.map(({ action, user_id, detail }) => ({ action, user_id, detail })),
      [
        {
          action: 'agent_restored',
          user_id: person.user,
          detail: { revision: 3, fields: ['hub'], restored_revision: 1 },
        },
        { action: 'agent_updated', user_id: other.user, detail: { revision: 2, fields: ['hub'] } },
        {
          action: 'agent_created',
          user_id: person.user,
          detail: { revision: 1, fields: ['agent_name', 'model_name', 'api_key', 'purpose'] },
        },
      ],
    )
    assert.equal(events[1]?.request_id, 'change-1')
    assert.equal(events[1]?.at, changed.body.updated_at)
    assert.ok(!JSON.stringify(events).includes('canary'))
  })

  it('has every refusal of a permission, with the agent it was about', async () => {
    const reader = await running.person({ team: person.team, scope: 'agent:read' })
    const { id } = await createAgent(running, person)
    const reply = await putAgent(running, reader, id, { hub: 'x' }, { 'x-request-id': 'refused-1' })
    assert.equal(reply.status, 403)
    const [event] = await eventsOf(id)
    assert.deepEqual(event, {
      id: event?.id,
      at: event?.at,
      user_id: reader.user,
      changed_by_name: null,
      action: 'permission_refused',
      agent_id: id,
      request_id: 'refused-1',
      via: 'api',
      client_id: `${reader.user}.${reader.team}`,
      reason: null,
      detail: { permission: 'agent:write', method: 'PUT', route: `${COLLECTION}/:id` },
    })
    assert.equal((await list('', reader)).status, 403)
    await running.request('GET', `${COLLECTION}/not-an-id`, {
      token: (await running.person({ team: person.team, scope: '' })).token,
    })
    const { body } = await list('?limit=2')
    assert.deepEqual(
      body.results.map(({ agent_id, detail }: AuditEvent) => [agent_id, detail['permission']]),
      [
        [null, 'agent:read'],
        [null, 'audit:read'],
      ],
    )
  })

  it('is of the own team only, also where another team’s agent is named', async () => {
    const { id } = await createAgent(running, person)
    const otherTeam = await running.person()
    for (const query of ['', `?agent_id=${id}`]) {
      assert.deepEqual((await list(query, otherTeam)).body, { results: [], next_cursor: null })
    }
    await putAgent(running, await running.person({ scope: 'agent:read' }), id, {})
    assert.equal((await eventsOf(id)).length, 1, 'a refusal is recorded for the team of the caller only')
  })

  it('comes newest first, in pages that neither miss nor repeat, with cursors that belong to them', async () => {
    const own = await running.person()
    const agents = [await createAgent(running, own), await createAgent(running, own)]
    for (let n = 0; n < 10; n++) await putAgent(running, own, agents[n % 2]?.id ?? '', { purpose: `${n}` })
    for (const [filter, expected] of [
      ['', 12],
      [`&agent_id=${agents[0]?.id}`, 6],
    ] as const) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await list(`?limit=5${filter}${cursor && `&cursor=${cursor}`}`, own)
        seen.push(...body.results.map(({ id }: AuditEvent) => id))
        if (body.next_cursor !== null) {
          const elsewhere = await list(`?agent_id=${randomUUID()}&cursor=${body.next_cursor}`, own)
          assert.equal(elsewhere.status, 422)
        }
        cursor = body.next_cursor
      }
      assert.equal(seen.length, expected)
      assert.deepEqual(seen, [...new Set(seen)].toSorted().toReversed())
    }
  })

  it('refuses what is not a cursor, a limit or an id', async () => {
    const { body } = await list('?limit=1')
    const [digest] = JSON.parse(Buffer.from(body.next_cursor, 'base64url').toString())
    const urn = `urn:uuid:${randomUUID()}`
    const forged = [[], [7], ['x'], [null], [[]], [randomUUID(), 1], [urn]].map((position) =>
      Buffer.from(JSON.stringify([digest, ...position])).toString('base64url'),
    )
    for (const query of [
      ...['x', 'bnVsbA', ...forged].map((cursor) => `cursor=${cursor}`),
      ...['0', '501', 'x'].map((limit) => `limit=${limit}`),
      'agent_id=x',
    ]) {
      assert.equal((await list(`?${query}`)).status, 422, query)
    }
  })

  it('can be added to and never rewritten, not even by a superuser who plays a replica', async () => {
    const { id } = await createAgent(running, person)
    const later = (await auditPartitions(running.database))[0]
    for (const statement of [
      `UPDATE audit_events SET user_id = team_id`,
      `UPDATE audit_events_first SET user_id = team_id`,
      `DELETE FROM audit_events`,
      `DELETE FROM audit_events_first`,
      `DELETE FROM ${later}`,
      `TRUNCATE audit_events_first`,
      `TRUNCATE ${later}`,
      `DELETE FROM audit_events WHERE false`,
      `TRUNCATE audit_events`,
      `INSERT INTO audit_events SELECT * FROM audit_events ON CONFLICT (team_id, id) DO UPDATE SET at = 0`,
    ]) {
      for (const role of ['origin', 'replica']) {
        const attempt = running.database.query(
          `SET session_replication_role = ${role}; ${statement}; SET session_replication_role = origin`,
        )
        await assert.rejects(attempt, /append-only/, `${statement} as ${role}`)
      }
    }
    assert.equal((await eventsOf(id)).length, 1)
  })

  it('reads the events of a page and no others, of a team or an agent of any size', async (t) => {
    const { team } = await running.person()
    const database = await createTestDatabase()
    const session = new Client({ connectionString: database.url })
    t.after(async () => {
      await session.end()
      await database.drop()
    })
    await ageAudit(database, 12)
    await addAuditEvents(database, { team, count: 20_000, days: 400 })
    // The planner expects few events of an agent, and knows that the months to come are empty.
    await database.query('ANALYZE audit_events')
    const agent = randomUUID()
    await addAuditEvents(database, { team, agent, count: 5_000, days: 400 })
    await session.connect()
    const cases = [null, agent].flatMap((agentId) =>
      [true, false].map((isAscending) => ({ agentId, isAscending })),
    )
    for (const { agentId, isAscending } of cases) {
      // PostgreSQL chooses between two kinds of plan at the sixth execution.
      for (let execution = 1; execution <= 7; execution++) {
        await session.query('BEGIN')
        const { rows } = await session.query(
          `SELECT FROM search_audit_events($1, '00000000-0000-0000-0000-000000000000',
             'ffffffff-ffff-ffff-ffff-ffffffffffff', $3, 101, 101, $2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
          [team, agentId, isAscending],
        )
        assert.equal(rows.length, 101)
        const { rows: read } = await session.query<{ tuples: number }>(
          `SELECT sum(idx_tup_fetch + seq_tup_read)::int AS tuples
           FROM pg_stat_xact_user_tables WHERE relname ^@ 'audit_events'`,
        )
        assert.equal(read[0]?.tuples, 101, `of ${agentId ?? 'the team'}, execution ${execution}`)
        // Otherwise the next count includes this one.
        await session.query('SELECT pg_stat_force_next_flush(); COMMIT')
      }
    }
  })
})
