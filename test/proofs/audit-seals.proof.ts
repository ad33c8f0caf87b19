import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { Client } from 'pg'
import { addAuditEvents } from '../support/audit-months.ts'
import { createTestDatabase } from '../support/database.ts'
import { newSigner, sealUntil, statementsOf, verify } from '../support/sealed-audit.ts'

const MANIPULATIONS = Number(process.env['MANIPULATIONS'] ?? 50)
const TEAMS = 8
const SEALS = 5
const RECORDS_OF_TEAM = 8

/** A record of a sealed time, chosen at random. */
const ANY =
  '(SELECT id FROM audit_events WHERE id < (SELECT max(end_id::text)::uuid FROM audit_seals) ORDER BY random() LIMIT 1)'

/** Each changes sealed records, or also what protects them, as the owner of the tables can. */
const KINDS: Record<string, string | string[]> = {
  'another user': `UPDATE audit_events SET user_id = gen_random_uuid() WHERE id = ${ANY}`,
  'another action': `UPDATE audit_events SET action = 'agent_created' WHERE id = ${ANY}`,
  'another time': `UPDATE audit_events SET at = at - 1 - floor(random() * 1000) WHERE id = ${ANY}`,
  'another agent': `UPDATE audit_events SET agent_id = gen_random_uuid() WHERE id = ${ANY}`,
  'no agent': `UPDATE audit_events SET agent_id = NULL WHERE id = ${ANY}`,
  'another request': `UPDATE audit_events SET request_id = request_id || ' ' WHERE id = ${ANY}`,
  'another detail': `UPDATE audit_events SET detail = '{"revision": 3, "fields": ["purpose"]}' WHERE id = ${ANY}`,
  'the detail with other spaces': `UPDATE audit_events SET detail = (detail::text || ' ')::json WHERE id = ${ANY}`,
  'another team': `UPDATE audit_events SET team_id = gen_random_uuid() WHERE id = ${ANY}`,
  'another id': `UPDATE audit_events SET id = overlay(id::text PLACING substr(gen_random_uuid()::text, 15) FROM 15)::uuid WHERE id = ${ANY}`,
  'an id of another time': `UPDATE audit_events SET id = first_id_at(now() - interval '1 day' * random() - interval '1 hour') WHERE id = ${ANY}`,
  'a value in a column that was added': [
    'ALTER TABLE audit_events ADD COLUMN later text',
    `UPDATE audit_events SET later = '' WHERE id = ${ANY}`,
  ],
  'one removed': `DELETE FROM audit_events WHERE id = ${ANY}`,
  'several removed': `DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events ORDER BY random() LIMIT 5) OR id = ${ANY}`,
  'a team removed': `DELETE FROM audit_events WHERE team_id = (SELECT team_id FROM audit_events WHERE id = ${ANY})`,
  'a team removed with its checkpoints': `WITH team AS (SELECT team_id FROM audit_events WHERE id = ${ANY}),
    gone AS (DELETE FROM audit_checkpoints USING team WHERE audit_checkpoints.team_id = team.team_id)
    DELETE FROM audit_events USING team WHERE audit_events.team_id = team.team_id`,
  'one added to a team': `INSERT INTO audit_events SELECT team_id, first_id_at(to_timestamp(at) - interval '1 minute' * random()), at,
    user_id, action, agent_id, request_id, detail FROM audit_events WHERE id = ${ANY}`,
  'one added to a team without records': `INSERT INTO audit_events SELECT gen_random_uuid(), id, at, user_id, action, agent_id,
    request_id, detail FROM audit_events WHERE id = ${ANY}`,
  'two records with their values exchanged': `WITH two AS (SELECT array_agg(id) ids, array_agg(agent_id) agents FROM
      (SELECT id, agent_id FROM audit_events WHERE id = ${ANY} UNION SELECT id, agent_id FROM audit_events WHERE id = ${ANY}) s)
    UPDATE audit_events SET agent_id = coalesce(agents[2], gen_random_uuid()) FROM two WHERE id = ids[1]`,
  'a checkpoint for other records': `UPDATE audit_checkpoints SET hash = sha256(hash) WHERE (team_id, last_id) =
    (SELECT team_id, last_id FROM audit_checkpoints ORDER BY random() LIMIT 1)`,
  'a checkpoint removed': `DELETE FROM audit_checkpoints WHERE (team_id, last_id) =
    (SELECT team_id, last_id FROM audit_checkpoints ORDER BY random() LIMIT 1)`,
  'a seal removed, and what it covers': `WITH one AS (SELECT number FROM audit_seals ORDER BY random() LIMIT 1),
    gone AS (DELETE FROM audit_checkpoints USING one WHERE seal = one.number RETURNING team_id, last_id),
    records AS (DELETE FROM audit_events USING gone WHERE audit_events.team_id = gone.team_id AND id <= gone.last_id)
    DELETE FROM audit_seals USING one WHERE audit_seals.number = one.number`,
  'a signature of another seal': `UPDATE audit_seals SET seal = split_part(seal, '.', 1) || '.' || split_part(seal, '.', 2) || '.' ||
    split_part((SELECT seal FROM audit_seals o WHERE o.number <> audit_seals.number LIMIT 1), '.', 3) WHERE number = (SELECT 1 + floor(random() * 3))`,
}

it(`${MANIPULATIONS} manipulations of sealed audit records are all found`, async (t) => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  await client.connect()
  const sql = statementsOf(client)
  const signer = newSigner()
  const teams = Array.from({ length: TEAMS }, () => randomUUID())
  for (let seal = SEALS; seal > 0; seal--) {
    for (const team of teams) {
      await addAuditEvents(database, {
        ...{ team, count: 1 + randomInt(RECORDS_OF_TEAM), days: 8 / 1_440 },
        before: `now() - interval '${seal * 10 + 1} minutes'`,
      })
    }
    await sealUntil(sql, signer, seal * 10, { maxRecords: 20 })
  }
  await client.query(`ALTER TABLE audit_events DISABLE TRIGGER ALL; ALTER TABLE audit_events_first DISABLE TRIGGER ALL;
    ALTER TABLE audit_seals DISABLE TRIGGER ALL; ALTER TABLE audit_checkpoints DISABLE TRIGGER ALL`)
  const before = await verify(sql, signer)
  assert.deepEqual(before.findings, [])

  const known = new Map([[before.lastSeal?.number ?? 0, before.lastSeal?.hash ?? '']])
  const kinds = Object.entries(KINDS)
  const missed: string[] = []
  const begun = performance.now()
  for (let n = 0; n < MANIPULATIONS; n++) {
    const [kind, statements] = kinds[n % kinds.length] ?? ['', '']
    await client.query('BEGIN')
    let changed: number | null = 0
    for (const statement of [statements].flat()) ({ rowCount: changed } = await client.query(statement))
    assert.ok(changed, `${kind} changed nothing`)
    const { findingCount } = await verify(sql, signer, { known })
    if (findingCount === 0) missed.push(kind)
    await client.query('ROLLBACK')
  }
  const { findings, records, checkpoints, seals } = await verify(sql, signer)
  t.diagnostic(
    `${MANIPULATIONS} manipulations of ${kinds.length} kinds, ${missed.length} missed; ${records} records, ` +
      `${checkpoints} checkpoints, ${seals} seals; ${((performance.now() - begun) / MANIPULATIONS).toFixed(0)} ms each`,
  )
  assert.deepEqual(missed, [])
  assert.deepEqual(findings, [], 'without a manipulation nothing is found')
})
