import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { unprivileged } from '../../dev/postgres-programs.ts'
import { migrate } from '../../scripts/migrate.ts'
import { onServer } from '../support/on-server.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../support/private-postgres.ts'
import { sized } from '../support/sized.ts'
import { createSmallDisk } from '../support/small-disk.ts'
import { checkAcknowledged, checkResponses, startWriters } from './steady-writers.ts'

const CLIENTS = sized(8, 32)
const CONSOLES = 1
const BYTES = 20_000

describe('a database without resources', () => {
  it('whose disk is full answers 503, loses no acknowledged write, and works again when there is space', async (t) => {
    const disk = await createSmallDisk(128)
    const postgres = await startPrivatePostgres()
    try {
      const folder = join(disk.folder, 'tables')
      await mkdir(folder)
      unprivileged(folder)
      await onServer(postgres.url, async (server) => {
        await server.query(`CREATE TABLESPACE small LOCATION '${folder}'`)
        await server.query('CREATE DATABASE console TABLESPACE small')
      })
      const databaseUrl = postgres.url.replace(/postgres$/, 'console')
      await exhaust(databaseUrl, t, { takeAway: disk.fill, giveBack: disk.free })
      assert.match(await logOf(postgres), /No space left on device/)
    } finally {
      await postgres.remove()
      await disk.remove()
    }
  })

  it('whose write-ahead log has no space answers 503 and loses no acknowledged write', async (t) => {
    const disk = await createSmallDisk(256)
    const postgres = await startPrivatePostgres({ parent: disk.folder })
    try {
      await exhaust(postgres.url, t, {
        takeAway: disk.fill,
        giveBack: async () => {
          await disk.free()
          // A server that cannot write its log ends.
          await postgres.stop('immediate').catch(() => {})
          await postgres.start()
        },
      })
    } finally {
      await postgres.remove()
      await disk.remove()
    }
  })

  it('whose shared memory is used up by locks answers 503', async (t) => {
    const settings = ['max_locks_per_transaction=10', 'max_connections=60']
    const postgres = await startPrivatePostgres({ settings })
    const holder = new Client({ connectionString: postgres.url })
    await holder.connect()
    try {
      await exhaust(postgres.url, t, {
        // Locks of a session outlive the statement that fails for want of memory.
        takeAway: async () => {
          const locks = 'SELECT pg_advisory_lock(n) FROM generate_series(1, 1000000) n'
          await assert.rejects(holder.query(locks), { code: '53200' })
        },
        giveBack: async () => void (await holder.query('SELECT pg_advisory_unlock_all()')),
      })
    } finally {
      await holder.end()
      await postgres.remove()
    }
  })

  it('that accepts no connection answers 503', async (t) => {
    const postgres = await startPrivatePostgres()
    try {
      // A limit of a role does not hold for superusers.
      await onServer(postgres.url, (server) => server.query('CREATE ROLE console LOGIN CREATEDB'))
      await onServer(postgres.url.replace('postgres@', 'console@'), (server) =>
        server.query('CREATE DATABASE console'),
      )
      const databaseUrl = postgres.url.replace(/postgres@(.*)postgres$/, 'console@$1console')
      await exhaust(databaseUrl, t, {
        takeAway: () =>
          onServer(postgres.url, async (server) => {
            await server.query('ALTER ROLE console CONNECTION LIMIT 0')
            await server.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'console'`,
            )
          }),
        giveBack: () =>
          onServer(
            postgres.url,
            async (server) => void (await server.query('ALTER ROLE console CONNECTION LIMIT -1')),
          ),
      })
    } finally {
      await postgres.remove()
    }
  })
})

interface Exhaustion {
  takeAway: () => Promise<void>
  giveBack: () => Promise<void>
}

/** Takes a resource away under load and gives it back. Every client must fail, and succeed again. */
async function exhaust(
  databaseUrl: string,
  t: { diagnostic: (line: string) => void },
  { takeAway, giveBack }: Exhaustion,
): Promise<void> {
  await migrate(databaseUrl, () => {})
  const writers = await startWriters({ databaseUrl, consoles: CONSOLES, clients: CLIENTS, bytes: BYTES })
  let acknowledged = new Map<string, number[]>()
  try {
    await writers.allHad('success', 0, 3)
    const takenAt = performance.now()
    await takeAway()
    await writers.allHad('failure', takenAt, 3)
    await giveBack()
    await writers.allHad('success', performance.now(), 3)
  } finally {
    acknowledged = await writers.stop()
  }
  checkResponses(writers.attempts)
  await onServer(databaseUrl, async (server) => {
    const { rows } = await server.query('SELECT id, revision::integer FROM agents')
    checkAcknowledged(acknowledged, rows)
  })
  const refused = writers.attempts.filter(({ status }) => status !== 200)
  const codes = Map.groupBy(refused, ({ code }) => code)
  t.diagnostic(
    `${writers.attempts.length} requests, ${refused.length} of them 503 ` +
      `(${[...codes].map(([code, { length }]) => `${code} ${length}`).join(', ')}), no other failure; ` +
      `${[...acknowledged.values()].flat().length} acknowledged changes, none lost`,
  )
}

function logOf({ folder }: PrivatePostgres): Promise<string> {
  return readFile(join(folder, 'log'), 'utf8')
}
