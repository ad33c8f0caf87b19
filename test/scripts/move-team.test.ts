import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client, escapeIdentifier } from 'pg'
import { fillTables } from '../../scripts/check-migrations/sample-rows.ts'
import { checkMove } from '../../scripts/move-team/checks.ts'
import { compareTeam, findOwnChanges } from '../../scripts/move-team/compare.ts'
import { allowWrites, stopWrites } from '../../scripts/move-team/fence.ts'
import { withMoveLock } from '../../scripts/move-team/locks.ts'
import { moveName } from '../../scripts/move-team/move-name.ts'
import { removeAuditCopies, removeTeam } from '../../scripts/move-team/remove.ts'
import { dropPublication } from '../../scripts/move-team/replication.ts'
import { readTeamTables, type TeamTable } from '../../scripts/move-team/tables.ts'
import { MAINTENANCE_NAME } from '../../src/maintenance/leader.ts'
import { FIRST_ID, firstIdAt, LAST_ID } from '../../src/platform/id-time.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

/** The team of the sample rows. */
const TEAM = '01900000-0000-7000-8000-000000000000'
/** Of an audit event of this month. */
const NEW_ID = firstIdAt(Date.now())
const OTHER_TEAM = '01900000-0000-7000-8000-00000000000f'

describe('the move of a team', () => {
  const databases: TestDatabase[] = []
  let source: Client
  let target: Client
  let tables: TeamTable[]

  const open = async () => {
    const database = await createTestDatabase()
    databases.push(database)
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await fillTables(client)
    return client
  }
  /** Undoes in the end what the work does to the target. */
  const inTarget = async (change: string, work: () => Promise<void>) => {
    await target.query('BEGIN; SET LOCAL session_replication_role = replica')
    try {
      await target.query(change)
      await work()
    } finally {
      await target.query('ROLLBACK')
    }
  }
  before(async () => {
    ;[source, target] = [await open(), await open()]
    tables = await readTeamTables(source)
  })
  after(async () => {
    await Promise.all([source.end(), target.end()])
    await Promise.all(databases.map(({ drop }) => drop()))
  })

  it('includes every table with a team_id, except what belongs to the database', async () => {
    const { rows } = await source.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'team_id'
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    const left = new Set(rows.map(({ name }) => name))
    for (const { name } of tables) left.delete(name)
    assert.deepEqual([...left].toSorted(), [
      'agent_filters_progress',
      'audit_checkpoints',
      'delegation_backfill',
      'outbox',
    ])
  })

  it('does not begin while a table is neither moved nor left behind on purpose', async () => {
    await inTarget('CREATE TABLE forgotten (id uuid PRIMARY KEY)', () =>
      assert.rejects(readTeamTables(target), /forgotten/),
    )
  })

  it('finds no difference between the same rows', async () => {
    const { rows, differences } = await compareTeam({ source, target }, TEAM, tables)
    assert.deepEqual(differences, [])
    assert.equal(rows, tables.length)
  })

  it('finds a row that is missing in one table, whichever it is', async () => {
    for (const { name } of tables) {
      const remove =
        `ALTER TABLE ${escapeIdentifier(name)} DISABLE TRIGGER USER; ` +
        `DELETE FROM ${escapeIdentifier(name)} WHERE team_id = '${TEAM}'`
      await inTarget(remove, async () => {
        const { differences } = await compareTeam({ source, target }, TEAM, tables)
        assert.equal(differences.length, 1, name)
        assert.match(differences[0] ?? '', new RegExp(`^${name}: 1 rows in the source, 0 in the target`))
      })
    }
  })

  it('finds a row that was changed on one side, and names its key', async () => {
    const changes = {
      agents: `agent_params = '{ }'`,
      agent_secrets: `sealed = '\\x01'`,
      saved_views: `columns = '{}'`,
      agent_evaluations: 'overall_score = 1.0000000000000002',
    }
    for (const [name, change] of Object.entries(changes))
      await inTarget(`UPDATE ${name} SET ${change}`, async () => {
        const { differences } = await compareTeam({ source, target }, TEAM, tables)
        assert.equal(differences.length, 1, name)
        assert.ok(
          differences[0]?.startsWith(`${name}: 1 rows in the source, 1 in the target`),
          differences[0],
        )
        assert.ok(differences[0]?.includes(TEAM))
      })
  })

  it('finds what the team has changed at the target, and not what the source has erased', async () => {
    const findChanges = (cutOverId = FIRST_ID) => findOwnChanges({ source, target }, TEAM, tables, cutOverId)
    assert.deepEqual(await findChanges(), [])
    await inTarget('DELETE FROM idempotency_keys', async () => assert.deepEqual(await findChanges(), []))
    await inTarget('DELETE FROM saved_views', async () => {
      assert.match(String(await findChanges()), /^saved_views: /)
    })
    await inTarget("UPDATE agents SET agent_name = 'new'", async () => {
      const [change, ...others] = await findChanges()
      assert.match(change ?? '', new RegExp(`^agents: .*${TEAM}`))
      assert.deepEqual(others, [])
    })
    const addEvent = `
      INSERT INTO audit_events SELECT (json_populate_record(e, json_build_object('id', '${NEW_ID}'))).* FROM audit_events e`
    await inTarget(addEvent, async () => {
      assert.match(String(await findChanges()), /^audit_events: /)
      assert.deepEqual(await findChanges(LAST_ID), [])
    })
  })

  it('names every reason why it cannot begin', async () => {
    const faults = await checkMove(source, target, OTHER_TEAM, tables).catch(String)
    assert.match(String(faults), /wal_level = logical/)
    assert.match(String(faults), /The source has no team/)
    await assert.rejects(checkMove(source, target, TEAM, tables), /The target already has rows of the team: /)
  })

  it('stops the changes of the team alone, and not the erasures of maintenance', async () => {
    const rename = (team: string) =>
      source.query('UPDATE agents SET agent_name = $1 WHERE team_id = $2', ['new', team])
    await source.query(
      `INSERT INTO agents SELECT (json_populate_record(a, '{"team_id": "${OTHER_TEAM}"}')).* FROM agents a`,
    )
    await stopWrites(source, TEAM, tables)
    await assert.rejects(rename(TEAM), { code: '55P03' })
    await assert.rejects(source.query('DELETE FROM agents WHERE team_id = $1', [TEAM]), { code: '55P03' })
    await assert.rejects(source.query('DELETE FROM users WHERE team_id = $1', [TEAM]), { code: '55P03' })
    assert.equal((await rename(OTHER_TEAM)).rowCount, 1)
    await source.query(`BEGIN; SET LOCAL application_name = '${MAINTENANCE_NAME}'`)
    assert.equal((await source.query('DELETE FROM idempotency_keys')).rowCount, 1)
    await source.query('ROLLBACK')
    await allowWrites(source, TEAM)
    assert.equal((await rename(TEAM)).rowCount, 1)
  })

  it('ends the publication of a table only while nothing changes the table', async () => {
    const name = moveName(TEAM)
    const [database] = databases as [TestDatabase]
    const isThere = async () =>
      (await database.query('SELECT FROM pg_publication WHERE pubname = $1', [name])).length > 0
    await source.query(`CREATE PUBLICATION ${name} FOR TABLE agents, audit_events`)
    const writer = new Client({ connectionString: database.url })
    await writer.connect()
    try {
      await writer.query("BEGIN; UPDATE agents SET agent_name = 'newer'")
      const ended = dropPublication(source, TEAM)
      await until('it waits for the writer', async () => (await waitingForLock(database, name)).length > 0)
      assert.equal(await isThere(), true)
      await writer.query('COMMIT')
      await ended
      assert.equal(await isThere(), false)
    } finally {
      await writer.end()
    }
  })

  it('ends without taking the replica identity of a table from a move that begins', async () => {
    const [database] = databases as [TestDatabase]
    const identity = async () => {
      const [row] = await database.query<{ identity: string }>(
        "SELECT relreplident AS identity FROM pg_class WHERE relname = 'saved_views'",
      )
      return row?.identity
    }
    const other = new Client({ connectionString: database.url })
    await other.connect()
    try {
      await other.query('ALTER TABLE saved_views REPLICA IDENTITY FULL')
      let ended: Promise<void> | undefined
      await withMoveLock(other, async () => {
        ended = dropPublication(source, TEAM)
        await until(
          'it waits for the other move',
          async () => (await waitingForLock(database, 'advisory')).length > 0,
        )
        await other.query(`CREATE PUBLICATION ${moveName(OTHER_TEAM)} FOR TABLE saved_views`)
      })
      await ended
      assert.equal(await identity(), 'f')
      await dropPublication(source, OTHER_TEAM)
      assert.equal(await identity(), 'd')
    } finally {
      await other.end()
    }
  })

  it('removes the copy of a cancelled move, and leaves the audit log append-only', async () => {
    assert.equal(await removeTeam(target, TEAM, tables), tables.length - 1)
    await removeAuditCopies(target, TEAM)
    for (const { name } of tables) {
      const { rowCount } = await target.query(`SELECT FROM ${escapeIdentifier(name)} WHERE team_id = $1`, [
        TEAM,
      ])
      assert.equal(rowCount, 0, name)
    }
    await assert.rejects(target.query('DELETE FROM audit_events'), { code: '42501' })
  })
})
