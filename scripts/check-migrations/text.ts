import type { MigrationFile } from '../migrate/load.ts'

/** Requests wait behind a migration that waits for a lock. The console refuses requests that wait for longer than
 * DATABASE_MAX_WAIT_MS, so a migration takes far less of it. */
const MAX_LOCK_TIMEOUT_MS = 150

const UNITS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000 }

/** What the text of a migration shows. */
export function findInText({ name, text, usesTransaction, statements }: MigrationFile): string[] {
  return [
    ...findLockTimeout(name, text, usesTransaction),
    ...statements.flatMap((statement, index) => findBlocking(name, statement, statements.slice(0, index))),
  ]
}

function findLockTimeout(name: string, text: string, usesTransaction: boolean): string[] {
  const first = text.replaceAll(/--.*$/gm, '').trim()
  const [, amount, unit] = /^SET (?:LOCAL )?lock_timeout = '(\d+)(ms|s|min)';/i.exec(first) ?? []
  if (amount === undefined || unit === undefined)
    return [`${name} must start with SET lock_timeout = '100ms';.`]
  const isTooLong = Number(amount) * (UNITS[unit] ?? 0) > MAX_LOCK_TIMEOUT_MS || Number(amount) === 0
  // CONCURRENTLY waits for old transactions in a way that blocks no request.
  if (!isTooLong || !usesTransaction) return []
  return [`${name} has a lock_timeout of ${amount}${unit}: the limit is ${MAX_LOCK_TIMEOUT_MS}ms.`]
}

/** A file without a transaction can stop between two statements, and is then repeated from its start. */
function findBlocking(name: string, statement: string, before: string[]): string[] {
  const start = statement.replaceAll(/\s+/g, ' ')
  if (
    /^SET (?:LOCAL )?lock_timeout |^DROP INDEX CONCURRENTLY IF EXISTS |^REINDEX .*\bCONCURRENTLY\b/i.test(
      start,
    )
  )
    return []
  if (/^ALTER TABLE \S+ VALIDATE CONSTRAINT \S+$/i.test(start)) return []
  const index = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON /i.exec(start)?.[1]
  if (index === undefined)
    return [
      `${name} runs without a transaction, so it may only change indexes CONCURRENTLY and validate constraints: ` +
        start.slice(0, 60),
    ]
  const drop = new RegExp(`^DROP INDEX CONCURRENTLY IF EXISTS ${index}$`, 'i')
  if (before.some((earlier) => drop.test(earlier.replaceAll(/\s+/g, ' ')))) return []
  return [
    `${name} must contain DROP INDEX CONCURRENTLY IF EXISTS ${index}; before it creates the index: a build that stops ` +
      'leaves an invalid index.',
  ]
}
