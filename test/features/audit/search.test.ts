import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { newId, timeOf } from '../../../src/api/uuid.ts'
import { findEvents, insertEvents } from '../../../src/features/audit/queries.ts'
import type { AuditEvent, AuditQuery } from '../../../src/features/audit/schema.ts'
import { useConsole } from '../../support/console.ts'

type Filters = Omit<AuditQuery, 'limit' | 'cursor'>
type StoredEvent = Omit<AuditEvent, 'changed_by_name' | 'reason'> & { team_id: string }

const NOW = Math.floor(Date.now() / 1_000)
const USERS = [randomUUID(), randomUUID()]
const AGENTS = [randomUUID(), randomUUID()]
const ACTIONS = ['agent_updated', 'secrets_read', 'permission_refused'] as const
const FIELDS = ['purpose', 'hub', 'secrets.crm']
const CLIENTS = ['web', 'cli']
const VIAS = ['api', 'import'] as const

describe('a search of the audit log', async () => {
  const running = await useConsole()
  const { database } = running.core
  const person = await running.person()

  /** The time of the id and that of the event differ, as they do if clocks differ. */
  const stored = fc
    .record({
      age: fc.integer({ min: 0, max: 600 }),
      clock: fc.integer({ min: -1, max: 120 }),
      user_id: fc.constantFrom(...USERS),
      agent_id: fc.constantFrom(...AGENTS, null),
      action: fc.constantFrom(...ACTIONS),
      via: fc.constantFrom(...VIAS),
      client_id: fc.constantFrom(...CLIENTS, null),
      detail: fc.oneof(
        fc.record({ fields: fc.subarray(FIELDS) }),
        fc.constantFrom(
          {},
          { fields: 'purpose' },
          { fields: { purpose: 1 } },
          { fields: [1, null, ['hub']] },
        ),
      ),
    })
    .map(
      ({ age, clock, detail, ...event }): StoredEvent => ({
        team_id: person.team,
        id: newId((NOW - age) * 1_000),
        at: NOW - age + clock,
        request_id: 'r',
        ...event,
        // As it comes back.
        detail: JSON.parse(JSON.stringify(detail)) as AuditEvent['detail'],
      }),
    )
  const events = fc.sample(stored, { numRuns: 400, seed: 7 })
  await insertEvents(database.system, events)
  const others = fc.sample(stored, { numRuns: 50, seed: 8 })
  await insertEvents(
    database.system,
    others.map((event) => ({ ...event, team_id: randomUUID() })),
  )

  const filters: fc.Arbitrary<Filters> = fc.record(
    {
      agent_id: fc.constantFrom(...AGENTS),
      user_id: fc.constantFrom(...USERS),
      action: fc.constantFrom(...ACTIONS),
      field: fc.constantFrom(...FIELDS, 'none'),
      via: fc.constantFrom(...VIAS),
      client_id: fc.constantFrom(...CLIENTS),
      since: fc.integer({ min: NOW - 700, max: NOW + 10 }),
      until: fc.integer({ min: NOW - 700, max: NOW + 10 }),
    },
    { requiredKeys: [] },
  )

  /** The same, written in the simplest way. */
  const matches = (event: StoredEvent, { field, since, until, ...equal }: Filters) => {
    const fields = event.detail['fields']
    return (
      Object.entries(equal).every(([name, value]) => event[name as keyof StoredEvent] === value) &&
      (field === undefined || (Array.isArray(fields) && fields.includes(field))) &&
      (since === undefined || event.at >= since) &&
      (until === undefined || event.at < until)
    )
  }
  const expected = (given: Filters) =>
    events.filter((event) => matches(event, given)).toSorted((a, b) => (a.id < b.id ? 1 : -1))

  const parametersOf = (given: object) =>
    Object.entries(given)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&')
  const readAll = async (given: Filters, limit: number): Promise<AuditEvent[]> => {
    const found: AuditEvent[] = []
    let cursor: string | null = null
    do {
      const query = parametersOf({ ...given, limit, ...(cursor !== null && { cursor }) })
      const { status, body, text } = await running.request('GET', `/v1/audit-events?${query}`, {
        token: person.token,
      })
      assert.equal(status, 200, text)
      assert.ok(body.results.length <= limit)
      found.push(...body.results)
      cursor = body.next_cursor
    } while (cursor !== null)
    return found
  }

  it('finds exactly the events that match every filter, newest first, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 20, max: 500 }), async (given, limit) => {
        const found = await readAll(given, limit)
        assert.deepEqual(
          found,
          expected(given).map((event) => {
            const { team_id: _, ...shown } = event
            return { ...shown, changed_by_name: null, reason: null }
          }),
        )
      }),
      { numRuns: 60, seed: 20_261_115 },
    )
  })

  it('exports the same, oldest first, up to an id', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async ({ until = NOW + 1_000, ...given }) => {
        const query = parametersOf({ until, ...given })
        const { text } = await running.request('GET', `/v1/audit-events/export?${query}`, {
          token: person.token,
        })
        const lines = text.split('\n').filter((line) => line !== '')
        const ids = lines.map((line) => (JSON.parse(line) as AuditEvent).id)
        const records = given.action === undefined ? (await exported()).map(({ id }) => id) : []
        assert.deepEqual(
          ids.filter((id) => !records.includes(id)),
          expected(given)
            .toReversed()
            .map(({ id }) => id)
            .filter((id) => timeOf(id) < until * 1_000),
        )
      }),
      { numRuns: 30, seed: 20_261_115 },
    )
  })

  /** The records of the exports themselves. */
  const exported = () => readAll({ action: 'audit_exported' }, 500)

  it('takes a cursor for the filters that it belongs to only', async () => {
    const list = (query: string) =>
      running.request('GET', `/v1/audit-events?limit=5&${query}`, { token: person.token })
    const { body } = await list(`user_id=${USERS[0]}`)
    const cursor = `cursor=${body.next_cursor}`
    assert.equal((await list(`user_id=${USERS[0]}&${cursor}`)).status, 200)
    for (const query of [`user_id=${USERS[1]}`, '', `user_id=${USERS[0]}&via=api`, `agent_id=${USERS[0]}`]) {
      assert.equal((await list(`${query}&${cursor}`)).status, 422, query)
    }
  })

  it('refuses filters that no event can match', async () => {
    for (const query of [
      ...['user_id=x', 'action=x', 'via=x', 'since=x', 'since=-1', 'until=281474976000001', 'fields=hub'],
      ...[`field=${'x'.repeat(256)}`, `client_id=${'x'.repeat(256)}`],
    ]) {
      for (const path of ['/v1/audit-events', '/v1/audit-events/export']) {
        const reply = await running.request('GET', `${path}?${query}`, { token: person.token })
        assert.equal(reply.status, 422, `${path}?${query}`)
      }
    }
    for (const query of ['since=281474976000', 'until=0', `field=${encodeURIComponent("'; --")}`]) {
      const reply = await running.request('GET', `/v1/audit-events?${query}`, { token: person.token })
      assert.deepEqual(reply.body.results, [], query)
    }
  })

  describe('of more events than it may examine', async () => {
    const team = randomUUID()
    const [rare = '', usual = ''] = USERS
    // Of each thousand, one is of the rare user.
    await running.database.query(
      `INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)
       SELECT $1, overlay(first_id_at(at)::text PLACING substr(gen_random_uuid()::text, 15) FROM 15)::uuid,
         extract(epoch FROM at), CASE WHEN n % 1000 = 0 THEN $2::uuid ELSE $3::uuid END, 'agent_updated', NULL, 'r', '{}'
       FROM (SELECT n, now() - make_interval(secs => n) AS at FROM generate_series(1, 25000) n) times`,
      [team, rare, usual],
    )
    const order = 'newest_first' as const

    it('stops after 10,000 events, and continues there', async () => {
      const pages: number[] = []
      let after: string | undefined
      do {
        const page = await findEvents(database.system, team, { userId: rare }, { order, after, limit: 100 })
        pages.push(page.events.length)
        after = page.next
      } while (after !== undefined)
      assert.deepEqual(pages, [10, 10, 5])
      const none = await findEvents(
        database.system,
        team,
        { action: 'agent_deleted' },
        { order, after: undefined, limit: 100 },
      )
      assert.deepEqual([none.events.length, none.next === undefined], [0, false])
    })

    it('examines no more than the page needs, and says nothing of a next page that is empty', async () => {
      const first = await findEvents(
        database.system,
        team,
        { userId: rare },
        { order, after: undefined, limit: 25 },
      )
      assert.equal(first.events.length, 10)
      for (const [depth, size, expectedRows] of [
        // The last event that may be examined is a match: the search may go on behind it.
        [1_000, 5, [true, false]],
        [999, 5, [false]],
        [2_000, 1, [true]],
        [30_000, 30, Array.from({ length: 25 }, () => true)],
      ] as const) {
        const rows = await running.database.query<{ is_match: boolean }>(
          `SELECT is_match FROM search_audit_events($1, '00000000-0000-0000-0000-000000000000',
             'ffffffff-ffff-ffff-ffff-ffffffffffff', false, $3, $4, NULL, $2, NULL, NULL, NULL, NULL, NULL, NULL)`,
          [team, rare, size, depth],
        )
        assert.deepEqual(
          rows.map(({ is_match }) => is_match),
          expectedRows,
        )
      }
    })
  })
})
