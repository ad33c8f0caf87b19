import type { Statements } from '../src/platform/postgres/database.ts'
import type { Statement } from '../src/platform/postgres/sql.ts'

/** The statement that a store sends, caught before it is sent. */
export async function capture(send: (sql: Statements) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = []
  const note = async <Row extends object>(statement: Statement): Promise<Row[]> => {
    statements.push(statement)
    return []
  }
  await send({ read: note, write: note })
  const [statement] = statements
  if (!statement) throw new Error('Nothing was sent')
  return statement
}

/** The same statement for pgbench: its parameters written out, but for the values in `each`, which differ each time. */
export function toScript({ text, values }: Statement, each: Record<string, string>): string {
  return text.replace(/\$(\d+)/g, (_, digits: string) => {
    const value = values[Number(digits) - 1]
    return each[String(value)] ?? literal(value)
  })
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw new Error('A parameter that cannot be written out')
  // pgbench takes a colon before a word for a variable of its own.
  return `'${value.replaceAll("'", "''").replace(/":(?=\S)/g, '": ')}'`
}
