import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { migrate } from '../../scripts/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { startIssuer } from '../support/issuer/issuer.ts'
import { migrationFolder } from '../support/migrations.ts'
import { createTestNats } from '../support/nats.ts'
import { REVISION_GAPS } from '../support/revisions.ts'
import { sized } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { startFollower } from './follower.ts'
import { createReplicas, type Version } from './replicas.ts'
import { checkOrder } from './restore-check.ts'
import { startRoamingClients } from './roaming-clients.ts'

const ROUNDS = sized(1, 5)
/** Of the replicas of each kind, in each phase. */
const REQUESTS = sized(150, 2_000)
const CLIENTS = 8

const MIGRATIONS = join(import.meta.dirname, '../../migrations')

/** What a release may bring: a column, and an index that is built while requests go on. */
const SAMPLES = {
  '9001_sample_column.sql': `-- Up Migration
SET lock_timeout = '100ms';
ALTER TABLE agents ADD COLUMN sample_column text;
ALTER TABLE deleted_agents ADD COLUMN sample_column text;
`,
  '9002_sample_index.sql': `-- Up Migration
-- No transaction
SET lock_timeout = '10min';
DROP INDEX CONCURRENTLY IF EXISTS agents_by_sample_column;
CREATE INDEX CONCURRENTLY agents_by_sample_column ON agents (team_id, sample_column, id);
`,
}

/** Longer than the lock timeout of a migration, so that it has to give up and try again. */
const LONG_READ_MS = 3_000

it('a migration, an upgrade and a rollback under load lose no write and no event', async (t) => {
  const cleanUp: (() => unknown)[] = []
  try {
    const baseline = readdirSync(MIGRATIONS).map((file) => [
      file,
      readFileSync(join(MIGRATIONS, file), 'utf8'),
    ])
    const folder = migrationFolder(t, { ...Object.fromEntries(baseline), ...SAMPLES })
    const [database, nats] = await Promise.all([createEmptyDatabase(), createTestNats()])
    cleanUp.unshift(database.drop, nats.remove)
    await migrate(database.url, () => {})
    const issuer = await startIssuer({ grants: false })
    cleanUp.unshift(() => issuer.close())
    const replicas = createReplicas({
      ...nats.environment,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: issuer.audience,
      DATABASE_URL: database.url,
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      LOG_LEVEL: 'error',
      SHUTDOWN_DELAY_MS: '3000',
      // A busy machine must not make a console refuse requests.
      DATABASE_MAX_WAIT_MS: '10000',
    })
    cleanUp.unshift(replicas.close)
    const token = await issuer.token({ user: randomUUID(), team: randomUUID() })

    await replicas.start('old')
    const clients = startRoamingClients(replicas, token, CLIENTS)
    cleanUp.unshift(() => clients.stop().catch(() => {}))
    const follower = startFollower(() => replicas.next().url, token)
    cleanUp.unshift(follower.stop)
    const serve = async (...versions: Version[]) => {
      const from = { ...clients.answered }
      await until(`${versions.join(' and ')} answer ${REQUESTS} requests`, () => {
        clients.check()
        return versions.every((version) => clients.answered[version] >= from[version] + REQUESTS)
      })
    }
    const replace = async (before: Version, after: Version, ending: Version) => {
      await replicas.start(after)
      await serve(before, after)
      await replicas.stop(ending)
      await serve(ending === before ? after : before)
    }

    await serve('old')
    assert.match(await migrateDuringRead(), /held by .* "long report"/)
    await serve('old')
    for (let round = 0; round < ROUNDS; round++) {
      // A roll-out that is given up half way, a complete one, and a complete rollback.
      await replace('old', 'new', 'new')
      await replace('old', 'new', 'old')
      await replace('new', 'old', 'new')
    }
    await replace('old', 'new', 'old')

    const acknowledged = await clients.stop()
    await until('everything is delivered', async () => {
      const [row] = await database.query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM outbox')
      return row?.waiting === 0
    })
    const stored = await readRevisions('agents')
    assert.deepEqual(stored, acknowledged)
    assert.deepEqual(await database.query(REVISION_GAPS), [])
    const events = await nats.readAll()
    assert.deepEqual(
      checkOrder(events, new Map()),
      new Map([...stored, ...(await readRevisions('deleted_agents'))]),
    )
    await until('the follower has every revision', () => {
      const known = follower.revisions()
      return [...stored].every(([id, revision]) => known.get(id) === revision)
    })
    assert.equal(follower.refusals(), 0)
    const { old, new: newer } = clients.answered
    t.diagnostic(
      `${old} requests to replicas that an upgrade ends, ${newer} to those that it starts, ${clients.refused()} refused with ` +
        `503; ${events.length} events in order; ${3 * ROUNDS + 1} replacements`,
    )

    /** Returns what the migration has reported. */
    async function migrateDuringRead(): Promise<string> {
      const reader = new Client({ connectionString: database.url, application_name: 'long report' })
      await reader.connect()
      await reader.query('BEGIN; SELECT FROM agents LIMIT 1')
      const lines: string[] = []
      const migrating = migrate(database.url, (line) => void lines.push(line), { folder })
      await sleep(LONG_READ_MS)
      await reader.query('COMMIT')
      await reader.end()
      await migrating
      return lines.join('\n')
    }

    async function readRevisions(table: string): Promise<Map<string, number>> {
      const rows = await database.query<{ id: string; revision: number }>(
        `SELECT id, revision::int FROM ${table}`,
      )
      return new Map(rows.map(({ id, revision }) => [id, revision]))
    }
  } finally {
    for (const clean of cleanUp) await clean()
  }
})
