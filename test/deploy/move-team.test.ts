import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { Client } from 'pg'
import { fillTables } from '../../scripts/check-migrations/sample-rows.ts'
import { migrate } from '../../scripts/migrate.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../support/private-postgres.ts'
import { until } from '../support/until.ts'

/** The team of the sample rows. */
const TEAM = '01900000-0000-7000-8000-000000000000'
const OTHER_TEAM = '01900000-0000-7000-8000-00000000000f'

interface Statements {
  place: 'source' | 'target' | 'both'
  text: string
}

/** The SQL of a section of a document, in its order. The first line of each block says where it runs. */
function readStatements(): Statements[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  const [, section = ''] = page.split('### Move a team\n')
  const [steps = ''] = section.split('\n## ')
  return [...steps.matchAll(/```sql\n\s*-- at (?:the )?(\w+)[^\n]*\n(.*?)```/gs)].map(
    ([, place, sql = '']) => ({ place: place as Statements['place'], text: sql }),
  )
}

/** A PostgreSQL server with the schema of the console. */
interface Cell {
  postgres: PrivatePostgres
  sql: Client
}

async function startCell(stack: AsyncDisposableStack): Promise<Cell> {
  const postgres = await startPrivatePostgres({ settings: ['wal_level=logical', 'fsync=off'] })
  stack.defer(() => postgres.remove())
  await migrate(postgres.url, () => {})
  const sql = new Client({ connectionString: postgres.url })
  await sql.connect()
  stack.defer(() => sql.end())
  return { postgres, sql }
}

it('the statements of docs/scale.md move every row of a team, what changes meanwhile, and nothing of other teams', async () => {
  await using stack = new AsyncDisposableStack()
  const [source, target] = [await startCell(stack), await startCell(stack)]
  const [here, there] = [source.sql, target.sql]
  const run = async (statements: Statements | undefined) => {
    assert.ok(statements)
    const cells = { source: [source], target: [target], both: [source, target] }[statements.place]
    return Promise.all(cells.map(({ postgres }) => psql(postgres, statements.text, source.postgres)))
  }
  await fillTables(here)
  await here.query(
    `INSERT INTO agents SELECT (json_populate_record(a, '{"team_id": "${OTHER_TEAM}"}')).* FROM agents a`,
  )
  const tables = await tablesOfTeams(here)
  assert.ok(tables.length > 10, tables.join())
  const [publish, subscribe, isCopied, isDelivered, compare, unsubscribe, remove, ...more] = readStatements()
  assert.deepEqual(more, [])

  await run(publish)
  await run(subscribe)
  await until('the rows are copied', async () => (await run(isCopied)).join() === '0')
  await here.query("UPDATE agents SET agent_name = 'changed meanwhile' WHERE team_id = $1", [TEAM])
  await here.query("UPDATE saved_views SET name = 'changed meanwhile'")
  assert.deepEqual(await run(isDelivered), ['1'])
  await here.query('DELETE FROM outbox')
  assert.deepEqual(await run(isDelivered), ['0'])

  const isSame = async () => {
    const [theirs, ours] = await run(compare)
    return theirs === ours
  }
  await until('both sides agree', isSame)
  await there.query('UPDATE agent_revisions SET reason = $1', ['differs'])
  assert.equal(await isSame(), false)
  await there.query('UPDATE agent_revisions SET reason = $1', ['text'])
  assert.equal(await isSame(), true)

  await run(unsubscribe)
  await run(remove)
  for (const table of tables) {
    const kept = table === 'audit_events' ? 1 : 0
    assert.equal(await count(here, table, TEAM), kept, `${table} of the source`)
    assert.equal(await count(there, table, TEAM), 1, `${table} of the target`)
  }
  const { rows } = await there.query('SELECT agent_name FROM agents')
  assert.deepEqual(rows, [{ agent_name: 'changed meanwhile' }])
  // The source goes on to serve its other teams.
  const { rowCount } = await here.query("UPDATE agents SET agent_name = 'after the move'")
  assert.equal(rowCount, 1)
})

/** Returns what it prints. */
async function psql({ bin, url }: PrivatePostgres, sql: string, source: PrivatePostgres): Promise<string> {
  const connection = `host=127.0.0.1 port=${new URL(source.url).port} user=postgres dbname=postgres`
  const child = spawn(
    join(bin, 'psql'),
    ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', `team=${TEAM}`, '-v', `source=${connection}`, url],
    { env: { ...process.env, PGOPTIONS: '-c lock_timeout=1s -c client_min_messages=warning' } },
  )
  child.stdin.end(sql)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.equal(errors, '')
  return output.trim()
}

async function tablesOfTeams(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'team_id'
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> 'outbox'`,
  )
  return rows.map(({ name }) => name)
}

async function count(client: Client, table: string, team: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE team_id = $1`,
    [team],
  )
  return rows[0]?.count ?? 0
}
