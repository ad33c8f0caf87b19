import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { it } from 'node:test'
import { startIssuer } from '../../dev/issuer/issuer.ts'
import { REVISION_GAPS } from '../../scripts/drill/revisions.ts'
import { migrate } from '../../scripts/migrate.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { createTestNats } from '../support/nats.ts'
import { until } from '../support/until.ts'
import { startFollower } from './follower.ts'
import { prepareReleaseUpgrade } from './last-upgrade.ts'
import { createReplicas, type Version } from './replicas.ts'
import { checkOrder } from './restore-check.ts'
import { startRoamingClients } from './roaming-clients.ts'

/** Few in CI; `npm run proof:upgrade` rolls back and forward five times. */
const ROUNDS = Number(process.env['UPGRADE_ROUNDS'] ?? 1)
/** Of each version, in each phase. */
const REQUESTS = Number(process.env['UPGRADE_REQUESTS'] ?? 150)
const CLIENTS = 8

it('two versions serve together across a migration and a rollback, and lose no write and no event', async (t) => {
  const cleanUp: (() => unknown)[] = []
  try {
    const upgrade = prepareReleaseUpgrade()
    cleanUp.unshift(upgrade.remove)
    const [database, nats] = await Promise.all([createEmptyDatabase(), createTestNats()])
    cleanUp.unshift(database.drop, nats.remove)
    await migrate(database.url, () => {}, { folder: upgrade.before })
    const issuer = await startIssuer({ grants: false })
    cleanUp.unshift(() => issuer.close())
    const replicas = createReplicas(
      { old: join(upgrade.root, 'src/main.ts'), new: 'src/main.ts' },
      {
        ...nats.environment,
        ...{ AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: issuer.audience, DATABASE_URL: database.url },
        SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
        LOG_LEVEL: 'error',
        SHUTDOWN_DELAY_MS: '3000',
        // A busy machine must not make a console refuse requests.
        DATABASE_MAX_WAIT_MS: '10000',
      },
    )
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
    await migrate(database.url, () => {}, { folder: upgrade.after })
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
    assert.deepEqual(await database.query(REVISION_GAPS('agents')), [])
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
      `from ${upgrade.from ?? 'this version'} with ${upgrade.files.join(', ') || 'no migration'}: ${old} requests to the old ` +
        `version, ${newer} to the new one, ${clients.refused()} refused with 503; ${events.length} events in order; ` +
        `${3 * ROUNDS + 1} replacements`,
    )

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
