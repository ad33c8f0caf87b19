import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { QueueEntry } from '../../src/platform/fairness/fair-queue.ts'
import { LANES, type Lane } from '../../src/platform/fairness/lanes.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { useConsoleWithNats } from '../support/console-with-nats.ts'
import { fill, fillWithTeams } from '../support/queues.ts'
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

const codeOf = ({ body }: { body: unknown }) => (body as { code?: string } | undefined)?.code

describe('fair shares', () => {
  it('writes of one locked agent take one place: other teams and other agents are served', async () => {
    const running = await useConsole({ environment: { DATABASE_MAX_WAIT_MS: '300' } })
    const [flooder, other] = [await running.person(), await running.person()]
    const { id: locked } = await createAgent(running, flooder)
    const { id: free } = await createAgent(running, flooder)
    const { id } = await createAgent(running, other)
    const blocker = await lock(running.database.url, 'SELECT FROM agents WHERE id = $1 FOR UPDATE', [locked])
    const flood = Array.from({ length: 200 }, (_, n) =>
      putAgent(running, flooder, locked, { purpose: String(n) }),
    )
    const waiting = async () => (await waitingForLock(running.database)).length
    await until('a write waits for the lock', async () => (await waiting()) > 0)
    const counts: number[] = []
    for (let round = 0; round < 3; round++) {
      counts.push(await waiting())
      assert.equal((await getAgent(running, other, id)).status, 200)
      assert.equal((await putAgent(running, other, id, { purpose: String(round) })).status, 200)
      assert.equal((await getAgent(running, flooder, locked)).status, 200)
      assert.equal((await putAgent(running, flooder, free, { purpose: String(round) })).status, 200)
    }
    assert.ok(Math.max(...counts) <= 1, `writes that wait for the lock: ${counts.join(', ')}`)
    await blocker.release()
    const replies = await Promise.all(flood)
    for (const reply of replies) {
      if (reply.status === 200) continue
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
      assert.ok(['too_many_requests', 'agent_busy'].includes(codeOf(reply) ?? ''), reply.text)
    }
    assert.equal(running.logLines.filter((line) => line.includes('"code":"internal"')).length, 0)
  })

  it('a write that waits too long for its row is refused as agent_busy and changes nothing', async () => {
    const running = await useConsole({ environment: { DATABASE_LOCK_TIMEOUT_MS: '50' } })
    const person = await running.person()
    const { id } = await createAgent(running, person, { purpose: 'before' })
    const blocker = await lock(running.database.url, 'SELECT FROM agents WHERE id = $1 FOR UPDATE', [id])
    const reply = await putAgent(running, person, id, { purpose: 'after' })
    assert.equal(reply.status, 503)
    assert.equal(codeOf(reply), 'agent_busy')
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    await blocker.release()
    assert.equal((await getAgent(running, person, id)).body.purpose, 'before')
  })

  it('slow searches do not take the connections of other requests', async () => {
    const running = await useConsole()
    const [searcher, other] = [await running.person(), await running.person()]
    await createAgent(running, searcher, { agent_name: 'one' })
    const { id } = await createAgent(running, other)
    // Every comparison of a name waits, until the lock is released or the statement times out.
    const name = new URL(running.database.url).pathname.slice(1)
    await running.database.query(`
      CREATE SCHEMA slow;
      CREATE FUNCTION slow.lower(text) RETURNS text LANGUAGE sql VOLATILE AS
        $$ SELECT pg_catalog.lower($1) FROM (SELECT pg_advisory_lock_shared(1)) waited $$;
      ALTER DATABASE ${name} SET search_path = slow, pg_catalog, public`)
    await running.database.query(
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'agent-console'`,
    )
    const blocker = await lock(running.database.url, 'SELECT pg_advisory_lock(1)')
    const search = `${COLLECTION}?q=e&include_count=true`
    const flood = Array.from({ length: 60 }, () => running.request('GET', search, { token: searcher.token }))
    const places = running.deps.lanes.searches
    await until('the searches wait', () => places.count().waiting > 0)
    for (let round = 0; round < 3; round++) {
      const page = await running.request('GET', `${COLLECTION}?limit=1`, { token: other.token })
      assert.equal(page.status, 200)
      assert.equal((await getAgent(running, other, id)).status, 200)
      assert.equal((await putAgent(running, other, id, { purpose: String(round) })).status, 200)
    }
    assert.ok(places.count().running <= 3)
    await blocker.release()
    await Promise.all(flood)
    assert.deepEqual(places.count(), { running: 0, waiting: 0 })
  })

  describe('a redaction of many statements', async () => {
    const running = await useConsole({
      environment: { DATABASE_POOL_SIZE: '4' },
    })
    const [person, other] = [await running.person(), await running.person()]
    const queue = running.deps.lanes.writes

    /** Sends a redaction while other requests have all places of writes but one, and gives its place to another team after
     * one of its statements. */
    const redactAndYield = async (signal: AbortSignal) => {
      const { id } = await createAgent(running, person, { purpose: 'canary' })
      await putAgent(running, person, id, { purpose: 'later' })
      const events: string[] = []
      const entry = (team: string): QueueEntry => ({
        team,
        onPlace: () => events.push('place'),
        onRefusal: () => events.push('refusal'),
      })
      const [holder, waiter] = [entry(person.team), entry(other.team)]
      queue.enter(holder)
      const blocker = await lock(running.database.url, 'LOCK TABLE agent_revisions')
      const reply = fetch(`${running.url}${COLLECTION}/${id}/revisions/1/redact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: '{"fields":["purpose"]}',
        signal,
      }).then(({ status }) => events.push(String(status)))
      await until('the redaction has a place', () => queue.count().running === 2)
      queue.enter(waiter)
      await blocker.release()
      await until('the other request has a place', () => events.length === 2)
      return { reply, events, holder, waiter }
    }

    it('gives its place to other teams between two of them', async () => {
      const { reply, events, holder, waiter } = await redactAndYield(AbortSignal.timeout(20_000))
      assert.deepEqual(events, ['place', 'place'])
      assert.deepEqual(queue.count(), { running: 2, waiting: 1 })
      queue.release(waiter)
      await reply
      assert.deepEqual(events, ['place', 'place', '204'])
      queue.release(holder)
      assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
    })

    it('and whose client disconnects then leaves the queue, and returns no place of another request', async () => {
      const closing = new AbortController()
      const { reply, holder, waiter } = await redactAndYield(closing.signal)
      closing.abort()
      await assert.rejects(reply)
      await until('it has left the queue', () => queue.count().waiting === 0)
      assert.deepEqual(queue.count(), { running: 2, waiting: 0 })
      queue.release(holder)
      queue.release(waiter)
      assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
    })
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
    const { running } = await useConsoleWithNats({
      environment: { RELAY: 'off' },
    })
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

describe('a request without a place', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { id } = await createAgent(running, person)

  const requestIn: Record<
    Lane,
    (one: Person) => Promise<{ status: number; headers: Headers; body: unknown }>
  > = {
    reads: (one) => getAgent(running, one, id),
    writes: (one) => putAgent(running, one, id, { purpose: 'no place' }),
    searches: (one) => running.request('GET', `${COLLECTION}?q=x`, { token: one.token }),
  }

  for (const lane of LANES) {
    it(`of its own team in the lane of ${lane} is 429, and other lanes are not affected`, async () => {
      const empty = fill(running.deps.lanes[lane], person.team)
      const reply = await requestIn[lane](person)
      assert.equal(reply.status, 429)
      assert.equal(codeOf(reply), 'too_many_requests')
      assert.equal(reply.headers.get('retry-after'), '1')
      for (const free of LANES) if (free !== lane) assert.equal((await requestIn[free](person)).status, 200)
      empty()
      assert.equal((await requestIn[lane](person)).status, 200)
    })
  }

  for (const lane of ['reads', 'writes'] as const) {
    it(`in the lane of ${lane} is refused again without the hooks of a request, with the same response`, async () => {
      const refused = await running.person()
      const lines = () => running.logLines.filter((line) => line.includes(refused.user)).length
      const empty = fill(running.deps.lanes[lane], refused.team)
      const first = await requestIn[lane](refused)
      await until('the first one is in the access log', () => lines() === 1)
      const second = await requestIn[lane](refused)
      await requestIn[lane](refused)
      empty()
      const comparable = ({ status, body, headers }: typeof first) => {
        const { date: _date, 'x-request-id': id, ...rest } = Object.fromEntries(headers)
        return { status, body, rest, hasId: id !== undefined }
      }
      assert.deepEqual(comparable(second), comparable(first))
      assert.equal(first.status, 429)
      // One line in a second.
      assert.equal(lines(), 2)
    })
  }

  it('is 503 where many teams fill the lane, without an error in the log', async () => {
    const empty = fillWithTeams(running.deps.lanes.reads, () => randomUUID())
    const logged = running.logLines.length
    const reply = await getAgent(running, await running.person(), id)
    empty()
    assert.equal(reply.status, 503)
    assert.equal(codeOf(reply), 'overloaded')
    assert.equal(reply.headers.get('retry-after'), '1')
    const lines = running.logLines.slice(logged).map((line) => JSON.parse(line) as { level: string })
    assert.ok(lines.length > 0 && lines.every(({ level }) => level === 'info'))
  })

  it('is refused before its body arrives', async () => {
    const empty = fill(running.deps.lanes.writes, person.team)
    const { hostname, port } = new URL(running.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `PUT ${COLLECTION}/${id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n',
    )
    let received = ''
    socket.on('data', (data) => (received += String(data)))
    await until('the response', () => received.includes('too_many_requests'))
    assert.match(received, /^HTTP\/1\.1 429 /)
    socket.destroy()
    empty()
  })

  it('that its client closes leaves the queue', async () => {
    const queue = running.deps.lanes.reads
    const entries = Array.from({ length: 8 }, () => ({
      team: person.team,
      onPlace: () => {},
      onRefusal: () => {},
    }))
    for (const entry of entries) queue.enter(entry)
    const closing = new AbortController()
    const waiting = fetch(`${running.url}${COLLECTION}/${id}`, {
      headers: { authorization: `Bearer ${person.token}` },
      signal: closing.signal,
    })
    const refusals = async () =>
      (await running.deps.metrics.registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('console_refusals_total{lane="reads"'))
    const before = await refusals()
    await until('it waits', () => queue.count().waiting === 1)
    closing.abort()
    await assert.rejects(waiting)
    await until('it has left the queue', () => queue.count().waiting === 0)
    assert.deepEqual(await refusals(), before, 'it was not refused because it waited too long')
    for (const entry of entries) queue.release(entry)
    assert.deepEqual(queue.count(), { running: 0, waiting: 0 })
  })

  it('whatever the response is, its place comes back', async () => {
    const missing = randomUUID()
    for (const [method, path, options] of [
      ['GET', `/${id}`, {}],
      ['HEAD', `/${id}`, {}],
      ['GET', `/${missing}`, {}],
      ['GET', '/not-an-id', {}],
      ['GET', `?unknown=1`, {}],
      ['PUT', `/${id}`, { raw: '{' }],
      ['PUT', `/${id}`, { json: { purpose: 'x' }, headers: { 'if-match': '"999"' } }],
      ['DELETE', `/${missing}`, {}],
      ['GET', `/${id}/revisions/1/diff?against=1`, {}],
      ['GET', `/${id}/revisions/7`, {}],
    ] as const) {
      const reply = await running.request(method, `${COLLECTION}${path}`, { ...options, token: person.token })
      assert.ok(reply.status < 500, `${method} ${path} ${reply.status}`)
    }
    for (const lane of LANES) assert.deepEqual(running.deps.lanes[lane].count(), { running: 0, waiting: 0 })
  })

  it('is counted in the metrics', async () => {
    const empty = fill(running.deps.lanes.reads, person.team)
    const text = await running.deps.metrics.registry.metrics()
    empty()
    assert.match(text, /console_places_in_use\{lane="reads"\} 8/)
    assert.match(text, /console_places_waiting\{lane="reads"\} [1-9]/)
    assert.match(text, /console_refusals_total\{lane="writes",cause="own_share"\} 5/)
    assert.match(text, /console_refusals_total\{lane="reads",cause="overloaded"\} 1/)
    assert.match(text, /console_place_wait_seconds_count\{lane="searches"\} [1-9]/)
  })
})
