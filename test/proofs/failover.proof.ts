import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { migrate } from '../../scripts/migrate.ts'
import { createMovingAddress } from '../support/moving-address.ts'
import { onServer } from '../support/on-server.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../support/private-postgres.ts'
import { sized } from '../support/sized.ts'
import { SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'
import { type Attempt, checkAcknowledged, checkResponses, startWriters } from './steady-writers.ts'

const CLIENTS = sized(8, 32)
/** Of each client, before and after. */
const CHANGES = sized(20, 200)
const CONSOLES = 2
/** The connections that a console has for requests. */
const POOLED = 16
const MAX_RECOVERY_MS = 2_000 * SLACK

describe(`a failover under ${CLIENTS} clients`, () => {
  for (const how of ['becomes read-only', 'is killed'] as const) {
    it(`loses no acknowledged write when the primary ${how}, and writes succeed on the new one at once`, async (t) => {
      const primary = await startPrivatePostgres()
      const cleanUp = [primary.remove]
      try {
        await migrate(primary.url, () => {})
        const standby = await startPrivatePostgres({ standbyOf: primary })
        cleanUp.unshift(standby.remove)
        await synchronise(primary)
        const address = await createMovingAddress(primary.url)
        cleanUp.unshift(address.close)
        const writers = await startWriters({ databaseUrl: address.url, consoles: CONSOLES, clients: CLIENTS })
        let acknowledged = new Map<string, number[]>()
        let movedAt = 0
        try {
          await writers.allHad('success', 0, CHANGES)
          const endedAt = performance.now()
          if (how === 'is killed') await primary.stop('immediate')
          else await makeReadOnly(primary)
          await writers.allHad('failure', endedAt)
          await standby.promote()
          address.moveTo(standby.url)
          movedAt = performance.now()
          await writers.allHad('success', movedAt, CHANGES)
        } finally {
          acknowledged = await writers.stop()
        }
        const { attempts } = writers
        checkResponses(attempts)
        await onServer(standby.url, async (server) => {
          const { rows } = await server.query('SELECT id, revision::integer FROM agents')
          checkAcknowledged(acknowledged, rows)
        })
        const { refused, recoveryMs } = describeRecovery(attempts, movedAt)
        const changes = [...acknowledged.values()].flat().length
        t.diagnostic(
          `${changes} acknowledged changes, none lost; ${refused} refused after the move of the address ` +
            `(${CONSOLES * POOLED} pooled connections); every client changed its agent again within ${Math.round(recoveryMs)} ms`,
        )
        assert.ok(refused <= CONSOLES * POOLED, `${refused} were refused`)
        assert.ok(recoveryMs <= MAX_RECOVERY_MS, `it took ${recoveryMs} ms`)
      } finally {
        for (const clean of cleanUp) await clean()
      }
    })
  }
})

/** From now on a write is acknowledged when the standby has it. */
async function synchronise(primary: PrivatePostgres): Promise<void> {
  await onServer(primary.url, async (server) => {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await server.query('SELECT pg_reload_conf()')
    await until('the standby is synchronous', async () => {
      const { rowCount } = await server.query(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)
      return rowCount === 1
    })
  })
}

/** As a managed service does to a primary that it replaces: its connections stay open. */
async function makeReadOnly(primary: PrivatePostgres): Promise<void> {
  await onServer(primary.url, async (server) => {
    await server.query('ALTER SYSTEM SET default_transaction_read_only = on')
    await server.query('SELECT pg_reload_conf()')
  })
}

/** What the clients saw after the address had moved. */
function describeRecovery(attempts: Attempt[], movedAt: number) {
  const later = attempts.filter(({ startedAt }) => startedAt >= movedAt)
  const successes = later.filter(({ kind, status }) => kind === 'change' && status === 200)
  const firstOf = (client: number) =>
    Math.min(...successes.filter((attempt) => attempt.client === client).map(({ endedAt }) => endedAt))
  const recoveredAt = Math.max(...Array.from({ length: CLIENTS }, (_, client) => firstOf(client)))
  const refused = later.filter(({ status }) => status !== 200).length
  return { refused, recoveryMs: recoveredAt - movedAt }
}
