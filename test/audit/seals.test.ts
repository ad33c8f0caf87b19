import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { createAuditPartitions } from '../../src/audit/partitions.ts'
import { makeCheckpoint } from '../../src/audit/seals/chain.ts'
import { leafOf, rootOf } from '../../src/audit/seals/hash-tree.ts'
import { readRecords } from '../../src/audit/seals/read.ts'
import { insertCheckpoints } from '../../src/audit/seals/store.ts'
import type { Statements } from '../../src/platform/database/database.ts'
import { firstIdAt, idAfter, monthStart, timeOf } from '../../src/platform/id-time.ts'
import { newId } from '../../src/platform/new-id.ts'
import { addAuditEvents, ageAudit } from '../support/audit-months.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { documentedGrants } from '../support/documented-grants.ts'
import { newSigner, sealUntil, statementsOf, verify } from '../support/sealed-audit.ts'

const MINUTES_PER_DAY = 1_440

describe('the seals of the audit log', () => {
  let database: TestDatabase
  let client: Client
  let sql: Statements
  const signer = newSigner()
  beforeEach(async (t) => {
    const created = await createTestDatabase()
    database = created
    client = new Client({ connectionString: created.url })
    await client.connect()
    sql = statementsOf(client)
    assert.ok('after' in t)
    t.after(async () => {
      await client.end()
      await created.drop()
    })
  })
  const add = (team: string, count: number, from: number, to: number) =>
    addAuditEvents(database, {
      ...{ team, count, days: (from - to) / MINUTES_PER_DAY },
      before: `now() - interval '${to} minutes'`,
    })
  const table = async (text: string) => (await database.query<{ n: number }>(text))[0]?.n
  const count = (name: string) => table(`SELECT count(*)::int AS n FROM ${name}`)
  /** Changes what the triggers protect, as the owner can. */
  const tamper = async (text: string, values: unknown[] = []) => {
    await client.query(`SET session_replication_role = replica;
      ALTER TABLE audit_events_first DISABLE TRIGGER ALL; ALTER TABLE audit_events DISABLE TRIGGER ALL;
      ALTER TABLE audit_seals DISABLE TRIGGER ALL`)
    const { rowCount } = await client.query(text, values)
    assert.ok(rowCount)
  }
  const findings = async (options: Parameters<typeof verify>[2] = {}) =>
    (await verify(sql, signer, options)).findings

  it('agree with the records they were made of, over several runs and seals', async () => {
    const [busy, quiet] = [randomUUID(), randomUUID()]
    await add(busy, 95, 60, 31)
    await add(quiet, 1, 60, 31)
    assert.equal(await sealUntil(sql, signer, 30, { maxRecords: 10 }), 10)
    await add(busy, 7, 29, 11)
    await sealUntil(sql, signer, 10)
    await add(quiet, 3, 9, 4)
    const { findings: found, lastSeal, ...figures } = await verify(sql, signer)
    assert.deepEqual(found, [])
    assert.deepEqual(figures, { findingCount: 0, records: 103, checkpoints: 12, seals: 2, expiredSeals: 0 })
    assert.equal(lastSeal?.number, 2)
  })

  it('agree with records of any text: PostgreSQL makes the hashes, and the check makes them again', async () => {
    const codes = [...Array.from({ length: 0x100 }, (_, n) => n + 1), 0x2028, 0x2029, 0xfffd, 0xffff, 0x1f600]
    const text = String.fromCodePoint(...codes)
    await add(randomUUID(), 3, 60, 31)
    await tamper('UPDATE audit_events SET request_id = $1, client_id = $1, detail = $2', [
      text,
      JSON.stringify({ [text]: text }),
    ])
    await sealUntil(sql, signer, 30)
    assert.deepEqual(await findings(), [])
  })

  it('leave out what a team has brought from another database, and nothing that was added since', async () => {
    const [moved, other] = [randomUUID(), randomUUID()]
    await add(other, 3, 60, 50)
    await sealUntil(sql, signer, 40)
    await add(moved, 5, 60, 50)
    assert.equal((await findings()).length, 5)
    const cameAt = firstIdAt(Date.now() - 35 * 60_000)
    assert.deepEqual(await findings({ moved: new Map([[moved, cameAt]]) }), [])
    await add(moved, 2, 39, 31)
    await sealUntil(sql, signer, 30)
    assert.deepEqual(await findings({ moved: new Map([[moved, cameAt]]) }), [])
    await add(moved, 1, 34, 33)
    await add(other, 1, 39, 38)
    assert.equal((await findings({ moved: new Map([[moved, cameAt]]) })).length, 2)
  })

  it('wait until no record of their time can be added any more, and cover about a minute', async () => {
    const team = randomUUID()
    await add(team, 1, 2.9, 2.8)
    assert.equal(await sealUntil(sql, signer, 3), 1)
    assert.equal(await count('audit_seals'), 0)
    await add(team, 1, 10, 9)
    await sealUntil(sql, signer, 3)
    await sealUntil(sql, signer, 2.5)
    assert.deepEqual([await count('audit_seals'), await count('audit_checkpoints')], [1, 1])
  })

  it('are made in runs of limited size: of the records of a large team, and of teams without new records', async () => {
    const [large, small] = ['00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000001']
    await add(large, 60, 40, 20)
    await add(small, 2, 40, 20)
    const teams = Array.from({ length: 30 }, () => randomUUID())
    for (const team of teams) await add(team, 1, 100, 80)
    await sealUntil(sql, signer, 70)
    const runs = await sealUntil(sql, signer, 10, { maxRecords: 20, maxTeams: 5 })
    assert.ok(runs <= 4 + 32 / 5 + 1, `${runs} runs`)
    assert.deepEqual(await findings(), [])
    assert.equal((await verify(sql, signer)).records, 92)
  })

  it('are made although a team has the last of all ids', async () => {
    const team = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    await add(team, 3, 100, 80)
    await sealUntil(sql, signer, 70, { maxTeams: 1 })
    await add(randomUUID(), 2, 40, 20)
    await sealUntil(sql, signer, 10, { maxTeams: 1 })
    assert.deepEqual(await findings(), [])
    assert.equal(await count('audit_seals'), 2)
  })

  it('continue after a run that was cut off, in another process', async () => {
    await add(randomUUID(), 50, 60, 31)
    let statements = 0
    const broken: Statements = {
      read: sql.read,
      write: (statement) => {
        if (++statements === 6) throw new Error('cut off')
        return sql.write(statement)
      },
    }
    // As the leader does: each run is a transaction.
    const inTransaction = async (send: Statements) => {
      await client.query('BEGIN')
      try {
        const runs = await sealUntil(send, signer, 30, { maxRecords: 10 })
        await client.query('COMMIT')
        return runs
      } catch {
        await client.query('ROLLBACK')
        return 0
      }
    }
    assert.equal(await inTransaction(broken), 0)
    assert.ok((await inTransaction(sql)) > 1)
    assert.deepEqual(await findings(), [])
  })

  it('show a record that was changed, removed, added or moved', async () => {
    const [team, other] = [randomUUID(), randomUUID()]
    await add(team, 20, 60, 31)
    await add(other, 20, 60, 31)
    await sealUntil(sql, signer, 30)
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM audit_events WHERE team_id = $1 ORDER BY id',
      [team],
    )
    const [first, second] = rows.map(({ id }) => id)
    assert.ok(first && second)
    const changes: [text: string, values: unknown[]][] = [
      ['UPDATE audit_events SET user_id = gen_random_uuid() WHERE id = $1', [first]],
      ['UPDATE audit_events SET at = at - 1 WHERE id = $1', [first]],
      ['UPDATE audit_events SET agent_id = NULL WHERE id = $1', [first]],
      [`UPDATE audit_events SET detail = '{"revision":2, "fields": ["purpose"]}' WHERE id = $1`, [first]],
      ['UPDATE audit_events SET id = $2 WHERE id = $1', [first, idAfter(first)]],
      ['UPDATE audit_events SET team_id = $2 WHERE id = $1', [first, other]],
      ['DELETE FROM audit_events WHERE id = $1', [second]],
      ['DELETE FROM audit_events WHERE team_id = $1', [team]],
      [
        `INSERT INTO audit_events SELECT $2, id, at, user_id, action, agent_id, request_id, detail FROM audit_events WHERE id = $1`,
        [first, randomUUID()],
      ],
      [
        `INSERT INTO audit_events SELECT $2, id, at, user_id, action, agent_id, request_id, detail FROM audit_events WHERE id = $1`,
        [first, 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      ],
    ]
    for (const [text, values] of changes) {
      await client.query('BEGIN')
      await tamper(text, values)
      const found = await findings()
      await client.query('ROLLBACK')
      assert.match(found.join(' '), /were changed, removed or added|was added after/, text)
    }
    assert.deepEqual(await findings(), [])
  })

  it('show a record of a sealed time that was slipped into the next seal', async () => {
    const [team, other] = [randomUUID(), randomUUID()]
    await add(team, 5, 60, 51)
    await sealUntil(sql, signer, 30)
    // The hash of a checkpoint needs no key, and the console signs the checkpoints that it finds.
    await add(team, 1, 45, 40)
    const { rows: before } = await client.query<{ hash: Buffer }>('SELECT hash FROM audit_checkpoints')
    for await (const record of readRecords(sql, firstIdAt(Date.now()))) {
      if (timeOf(record.id) < Date.now() - 50 * 60_000) continue
      const place = { teamId: team, seal: 2, lastId: record.id, previous: before[0]?.hash ?? null }
      await insertCheckpoints(sql, [makeCheckpoint(place, record.hash)])
    }
    await add(other, 5, 29, 11)
    await sealUntil(sql, signer, 10)
    assert.equal(await count('audit_checkpoints'), 3)
    assert.match((await findings()).join(' '), /was added to seal 2 after its time was sealed/)
  })

  it('show a record whose time is not that of its id, except a call that waited for the database', async () => {
    const team = randomUUID()
    const insert = (action: string, atAgeMs: number) =>
      client.query(`INSERT INTO audit_events VALUES ($1, $2, $3, $1, $4, null, 'r', '{}')`, [
        ...[team, newId(Date.now() - 3_600_000), Math.floor((Date.now() - atAgeMs) / 1_000), action],
      ])
    await insert('agent_updated', 3_600_000)
    await insert('agent_updated', 3_700_000)
    await insert('service_called', 7_200_000)
    await sealUntil(sql, signer, 30)
    assert.deepEqual(await findings(), [])
    await insert('agent_updated', 7_200_000)
    assert.match((await findings()).join(' '), /has the time 20.*, and its id another/)
    await tamper(`UPDATE audit_events SET at = ${Number.MAX_SAFE_INTEGER} WHERE action = 'agent_updated'`)
    assert.match((await findings()).join(' '), /has the time \+010889-.*, and its id another/)
  })

  it('show that seals or checkpoints were removed or replaced', async () => {
    const team = randomUUID()
    for (const minute of [60, 50, 40]) {
      await add(team, 5, minute, minute - 4)
      await sealUntil(sql, signer, minute - 5)
    }
    const { lastSeal } = await verify(sql, signer)
    const removeLast = `WITH a AS (DELETE FROM audit_checkpoints WHERE seal = 3), b AS (DELETE FROM audit_seals WHERE number = 3)
      DELETE FROM audit_events WHERE id >= (SELECT end_id FROM audit_seals WHERE number = 2)`
    const changes: [text: string, expected: RegExp][] = [
      ['DELETE FROM audit_seals WHERE number = 2', /Seal 3 does not continue/],
      ['DELETE FROM audit_seals WHERE number = 1', /Seal 2 does not continue/],
      ['DELETE FROM audit_seals WHERE number = 3', /not sealed\. Seals were removed/],
      ['DELETE FROM audit_seals', /No record is sealed/],
      [`UPDATE audit_seals SET seal = replace(seal, '.', '.A')`, /Seal 1 is not signed/],
      ['DELETE FROM audit_checkpoints WHERE seal = 2', /Seal 2 .* has other checkpoints/],
      [removeLast, /Seal 3, which is known, is missing/],
    ]
    for (const [text, expected] of changes) {
      await client.query('BEGIN')
      await tamper(text)
      const found = await findings({ known: new Map([[3, lastSeal?.hash ?? '']]) })
      await client.query('ROLLBACK')
      assert.match(found.join(' '), expected, text)
    }
  })

  it('made again by another key, or with a known hash that differs, are refused', async () => {
    await add(randomUUID(), 5, 60, 31)
    await sealUntil(sql, newSigner(), 30)
    assert.match((await findings()).join(' '), /Seal 1 is not signed by one of the keys/)
    const keys = { keys: [...newSigner().publicKeys.keys, ...signer.publicKeys.keys] } as never
    assert.match((await findings({ keys, known: new Map([[1, 'x']]) })).join(' '), /and not the known one, x/)
  })

  it('stay valid when the table gets a column', async () => {
    await add(randomUUID(), 5, 60, 31)
    await sealUntil(sql, signer, 30)
    await client.query('ALTER TABLE audit_events ADD COLUMN later text')
    assert.deepEqual(await findings(), [])
    await client.query('BEGIN')
    await tamper(`UPDATE audit_events SET later = 'x'`)
    assert.match((await findings()).join(' '), /were changed/)
    await client.query('ROLLBACK')
  })

  it('remain when the retention drops months, which only the retention explains', async () => {
    await ageAudit(database, 3)
    const team = randomUUID()
    await addAuditEvents(database, { team, count: 300, days: 150 })
    await addAuditEvents(database, { team: randomUUID(), count: 10, days: 150 })
    await sealUntil(sql, signer, 10)
    const before = await verify(sql, signer)
    assert.deepEqual(before.findings, [])
    // None goes beyond a month.
    const { rows } = await client.query<{ id: string }>(
      'SELECT end_id AS id FROM audit_seals ORDER BY number',
    )
    const months = [2, 1, 0].map((n) => firstIdAt(monthStart(Date.now(), n)))
    assert.deepEqual(
      months.filter((id) => !rows.some((row) => row.id === id)),
      [],
    )

    const { expire } = createAuditPartitions({ retentionMonths: 1, setMonthsAhead: () => {} })
    while (await expire(sql, Date.now() / 1_000));
    const after = await verify(sql, signer, { retentionMonths: 1 })
    assert.deepEqual(after.findings, [])
    assert.equal(after.seals, before.seals)
    assert.ok(after.expiredSeals > 0 && after.checkpoints < before.checkpoints)
    assert.equal(await count('audit_checkpoints'), after.checkpoints, 'expired checkpoints are deleted')
    assert.match((await findings()).join(' '), /The months before .* are gone, though all are kept/)
    assert.match((await findings({ retentionMonths: 5 })).join(' '), /those since/)
  })

  it('are written by the documented role, which can add no record of the past and remove nothing', async () => {
    await ageAudit(database, 3)
    await addAuditEvents(database, { team: randomUUID(), count: 50, days: 100 })
    const role = `console_seals_${process.pid}`
    await database.query(`CREATE ROLE ${role}; ${documentedGrants(role)}`)
    try {
      await client.query(`SET ROLE ${role}`)
      await sealUntil(sql, signer, 3)
      assert.deepEqual(await findings(), [])
      const insert = (ageMs: number, action = 'agent_updated', atAgeMs = ageMs) =>
        client.query(
          `INSERT INTO audit_events VALUES ($1, $2, $3, $1, $4, null, 'r', '{}') ON CONFLICT DO NOTHING`,
          [randomUUID(), newId(Date.now() - ageMs), Math.floor((Date.now() - atAgeMs) / 1_000), action],
        )
      await insert(0)
      await insert(100_000)
      await insert(0, 'service_called', 3_600_000)
      for (const attempt of [
        () => insert(130_000),
        () => insert(130_000, 'service_called'),
        () => client.query('DELETE FROM audit_checkpoints'),
        () => client.query('UPDATE audit_checkpoints SET records = 0'),
        () => client.query('DELETE FROM audit_seals'),
        () => client.query(`UPDATE audit_seals SET seal = ''`),
      ])
        await assert.rejects(attempt(), { code: '42501' })
      const { expire } = createAuditPartitions({ retentionMonths: 1, setMonthsAhead: () => {} })
      while (await expire(sql, Date.now() / 1_000));
      assert.deepEqual(await findings({ retentionMonths: 1 }), [])
    } finally {
      await client.query('RESET ROLE')
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
})

describe('the hash tree', () => {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
  /** The nodes above others: each is the hash of up to 32 of them. */
  const above = (nodes: Buffer[]): Buffer[] =>
    nodes.length === 0 ? [] : [sha256(Buffer.of(1), ...nodes.slice(0, 32)), ...above(nodes.slice(32))]
  const reference = (nodes: Buffer[]): Buffer | undefined =>
    nodes.length <= 1 ? nodes[0] : reference(above(nodes))

  it('has nodes of up to 32 children', () => {
    for (const size of [1, 2, 31, 32, 33, 63, 64, 65, 1_023, 1_024, 1_025, 2_000]) {
      const leaves = Array.from({ length: size }, (_, n) => sha256(Buffer.of(0), Buffer.from(`leaf ${n}`)))
      assert.deepEqual(leafOf(Buffer.from('leaf 0')), leaves[0])
      assert.deepEqual(rootOf(Buffer.concat(leaves)), reference(leaves), `${size} leaves`)
    }
    assert.deepEqual(rootOf(Buffer.alloc(0)), sha256())
  })
})

describe('the time of an id', () => {
  it('is the one that it was made for', () => {
    const ms = Date.UTC(2026, 10, 15, 1, 2, 3, 4)
    assert.equal(timeOf(newId(ms)), ms)
    assert.equal(timeOf(firstIdAt(ms)), ms)
    assert.ok(firstIdAt(ms) < newId(ms) && newId(ms) < firstIdAt(ms + 1))
    assert.equal(idAfter('0000ffff-ffff-ffff-ffff-ffffffffffff'), '00010000-0000-0000-0000-000000000000')
    assert.equal(monthStart(Date.UTC(2026, 0, 31), 2), Date.UTC(2025, 10))
  })
})
