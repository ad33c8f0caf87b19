import { Client, escapeLiteral } from 'pg'
import type { Sessions, Sql } from '../../src/platform/postgres/database.ts'
import type { Statement } from '../../src/platform/postgres/sql.ts'

export interface Explained {
  statements: number
  /** Pages of tables and indexes that the statements read, from memory or from disk. */
  pages: number
}

export type PlanMode = 'force_custom_plan' | 'force_generic_plan'

interface ExplainingSql {
  sql: Sessions
  /** What the statements of this work cost. */
  cost: (work: () => Promise<unknown>) => Promise<Explained>
  close: () => Promise<void>
}

/** Explains each statement before it runs, in a transaction that is rolled back. `mode` is how PostgreSQL plans a named
 * statement that it has seen often: for its parameters, or for any. */
export async function createExplainingSql(url: string, real: Sql, mode: PlanMode): Promise<ExplainingSql> {
  const client = new Client({ connectionString: url })
  // A test drops its database before its connections are closed.
  client.on('error', () => {})
  await client.connect()
  await client.query(`SET plan_cache_mode = ${mode}; SET jit = off`)
  let total: Explained = { statements: 0, pages: 0 }

  const explainNow = async ({ text, values }: Statement) => {
    await client.query('BEGIN')
    await client.query(`PREPARE explained AS ${text}`)
    const parameters = values.length > 0 ? `(${values.map(toLiteral).join(', ')})` : ''
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained${parameters}`,
    )
    await client.query('ROLLBACK; DEALLOCATE explained')
    total = {
      statements: total.statements + 1,
      pages: total.pages + pagesOf(rows[0]['QUERY PLAN'][0]['Plan']),
    }
  }
  let last: Promise<void> = Promise.resolve()
  const explain = (statement: Statement) => {
    last = last.then(() => explainNow(statement))
    return last
  }
  const explained: Sql = {
    read: async (statement) => {
      await explain(statement)
      return real.read(statement)
    },
    write: async (statement) => {
      await explain(statement)
      return real.write(statement)
    },
    transaction: real.transaction,
  }
  return {
    sql: { of: () => explained },
    cost: async (work) => {
      total = { statements: 0, pages: 0 }
      await work()
      return total
    },
    close: () => client.end(),
  }
}

interface PlanNode {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Subplan Name'?: string
  Plans?: PlanNode[]
}

/** A node includes what its children read, but not a CTE that only writes. Pages of a CTE that is also read count twice. */
function pagesOf(root: PlanNode): number {
  const ctes = (root.Plans ?? []).filter((child) => child['Subplan Name']?.startsWith('CTE '))
  return [root, ...ctes].reduce(
    (sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'],
    0,
  )
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Array.isArray(value)) return escapeLiteral(`{${value.map((each) => JSON.stringify(each)).join(',')}}`)
  return escapeLiteral(`${value as string | number | boolean}`)
}
