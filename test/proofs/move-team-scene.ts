import { randomUUID } from 'node:crypto'
import { Client, escapeIdentifier } from 'pg'
import { type PrivatePostgres, startPrivatePostgres } from '../../dev/private-postgres.ts'
import { fillTables } from '../../scripts/check-migrations/sample-rows.ts'
import { migrate } from '../../scripts/migrate.ts'
import { readTeamTables } from '../../scripts/move-team/tables.ts'
import { type RunningConsole, startConsoleProcess } from '../acceptance/processes.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTestNats, type TestNats } from '../support/nats.ts'

/** A database with its console and its stream of events. */
export interface Cell {
  postgres: PrivatePostgres
  nats: TestNats
  running: RunningConsole
  sql: Client
}

/** Two cells with the same issuer and the same keys. */
export async function startCells(stack: AsyncDisposableStack): Promise<[source: Cell, target: Cell]> {
  const source = await startCell(stack, {})
  const { AUTH_ISSUER = '', SECRETS_KEYS = '' } = source.running.environment
  return [source, await startCell(stack, { AUTH_ISSUER, SECRETS_KEYS })]
}

async function startCell(stack: AsyncDisposableStack, environment: Record<string, string>): Promise<Cell> {
  // No server crashes here, and a slow disk would only end statements early.
  const postgres = await startPrivatePostgres({ settings: ['wal_level=logical', 'fsync=off'] })
  stack.defer(() => postgres.remove())
  await migrate(postgres.url, () => {})
  const nats = await createTestNats()
  stack.defer(() => nats.remove())
  const running = await startConsoleProcess({
    ...{ LOG_LEVEL: 'error', DATABASE_URL: postgres.url },
    // A busy machine must not make it refuse requests.
    ...{ DATABASE_LOCK_TIMEOUT_MS: '5000', DATABASE_CONNECT_TIMEOUT_MS: '30000' },
    ...{ ...nats.environment, ...environment },
  })
  stack.defer(() => running.close())
  const sql = new Client({ connectionString: postgres.url })
  await sql.connect()
  stack.defer(() => sql.end())
  return { postgres, nats, running, sql }
}

/** Gives the team a row in each table where it has none. Returns how many it has added. */
export async function fillForTeam(sql: Client, team: string): Promise<number> {
  const scratch = await createTestDatabase()
  const samples = new Client({ connectionString: scratch.url })
  await samples.connect()
  let added = 0
  try {
    await fillTables(samples)
    const nowSeconds = Math.floor(Date.now() / 1_000)
    // Maintenance would erase what is older.
    const own = { team_id: team, agent_id: randomUUID(), created_at: nowSeconds }
    for (const { name } of await readTeamTables(sql)) {
      const table = escapeIdentifier(name)
      const { rowCount } = await sql.query(`SELECT FROM ${table} WHERE team_id = $1 LIMIT 1`, [team])
      if (rowCount !== 0) continue
      const { rows } = await samples.query<{ row: object }>(
        `SELECT to_json(t) AS row FROM ${table} t LIMIT 1`,
      )
      const row = JSON.stringify({ ...rows[0]?.row, ...own })
      await sql.query(`INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, $1)`, [row])
      added += 1
    }
  } finally {
    await samples.end()
    await scratch.drop()
  }
  return added
}
