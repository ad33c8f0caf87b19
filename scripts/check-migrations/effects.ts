import type { Catalogue } from './catalogue.ts'

/** What a migration did to tables that existed before, by comparing the catalogues of PostgreSQL. */
export function findEffects(
  name: string,
  usesTransaction: boolean,
  before: Catalogue,
  after: Catalogue,
): string[] {
  return [
    ...findRewrites(name, before, after),
    ...findIndexBuilds(name, usesTransaction, before, after),
    ...findValidations(name, usesTransaction, before, after),
  ]
}

function findRewrites(name: string, before: Catalogue, after: Catalogue): string[] {
  const isRewritten = (oid: string) =>
    after.relations.has(oid) && after.relations.get(oid)?.file !== before.relations.get(oid)?.file
  return [...before.relations].flatMap(([oid, { name: relation, table, isIndex, rows }]) => {
    if (isIndex) {
      // PostgreSQL also rewrites the indexes of a rewritten table, which is reported itself.
      if (!isRewritten(oid) || isRewritten(tableOf(before, table))) return []
      return [`${name} rebuilds the index ${relation} while writes wait. Use REINDEX INDEX CONCURRENTLY.`]
    }
    if (isRewritten(oid))
      return [
        `${name} rewrites the table ${relation} while reads and writes wait. Add a column instead, and fill it later.`,
      ]
    const now = after.relations.get(oid)
    if (now === undefined || now.rows === rows) return []
    return [`${name} changes rows of ${relation} in one transaction. Change them in steps, in maintenance.`]
  })
}

const tableOf = (catalogue: Catalogue, table: string | undefined) =>
  [...catalogue.relations].find(([, { name, isIndex }]) => !isIndex && name === table)?.[0] ?? ''

function findIndexBuilds(
  name: string,
  usesTransaction: boolean,
  before: Catalogue,
  after: Catalogue,
): string[] {
  return [...after.relations].flatMap(([oid, { isIndex, isValid, name: index, table }]) => {
    if (before.relations.has(oid) || !isIndex) return []
    if (!isValid) return [`${name} leaves the index ${index} invalid.`]
    if (!usesTransaction || tableOf(before, table) === '') return []
    return [
      `${name} builds the index ${index} while writes to ${table} wait. Use CREATE INDEX CONCURRENTLY in a file with the ` +
        'line -- No transaction.',
    ]
  })
}

function findValidations(
  name: string,
  usesTransaction: boolean,
  before: Catalogue,
  after: Catalogue,
): string[] {
  const constraints = [...after.constraints].flatMap(([oid, { isValidated, table, name: constraint }]) => {
    const old = before.constraints.get(oid)
    if (!isValidated || old?.isValidated === true || tableOf(before, table) === '') return []
    if (old === undefined)
      return [
        `${name} checks all rows of ${table} for the constraint ${constraint} while writes wait. Add it NOT VALID, and ` +
          'validate it in the next file.',
      ]
    return usesTransaction
      ? [
          `${name} validates the constraint ${constraint} in a transaction. Use a file with the line -- No transaction.`,
        ]
      : []
  })
  const columns = [...after.notNull]
    .filter(
      (column) => before.columns.has(column) && !before.notNull.has(column) && !isProven(column, before),
    )
    .map(
      (column) =>
        `${name} reads all rows for SET NOT NULL of ${column} while reads and writes wait. First add and validate ` +
        `CHECK (${column.split('.')[1]} IS NOT NULL).`,
    )
  return [...constraints, ...columns]
}

/** PostgreSQL then does not read the rows. */
function isProven(column: string, { constraints }: Catalogue): boolean {
  const [table, name] = column.split('.')
  return [...constraints.values()].some(
    (constraint) =>
      constraint.table === table &&
      constraint.isValidated &&
      constraint.definition === `CHECK ((${name} IS NOT NULL))`,
  )
}
