import { readFile } from 'node:fs/promises'
import { parse } from 'node:path'
import type { MigrationBuilder } from 'node-pg-migrate'

/** A line of a file whose statements run one by one, because CONCURRENTLY does not work in a transaction. */
const NO_TRANSACTION = /^-- No transaction$/m

export interface MigrationFile {
  name: string
  text: string
  usesTransaction: boolean
  /** Empty if the file uses a transaction: PostgreSQL then gets it as one text. */
  statements: string[]
}

export async function readMigration(path: string): Promise<MigrationFile> {
  const text = await readFile(path, 'utf8')
  const usesTransaction = !NO_TRANSACTION.test(text)
  return { name: parse(path).name, text, usesTransaction, statements: usesTransaction ? [] : split(text) }
}

/** A statement ends with a semicolon at the end of a line. Files without a transaction contain no function bodies. */
function split(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

/** Loads SQL files for node-pg-migrate, and reports each file when it is started. */
export function createLoader(onStart: (file: MigrationFile) => void) {
  return (paths: string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const file = await readMigration(path)
        const up = (builder: MigrationBuilder) => {
          onStart(file)
          if (file.usesTransaction) builder.sql(file.text)
          else {
            builder.noTransaction()
            for (const statement of file.statements) builder.sql(statement)
          }
        }
        return { id: path, filePaths: [path], actions: { up, down: false as const } }
      }),
    )
}
