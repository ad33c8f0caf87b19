import { DatabaseError, type Pool } from 'pg'
import { Problem } from '../../api/problem.ts'

/** The error codes for a statement that fails for one of these reasons. */
export interface FailureCodes {
  /** The connection was lost. A read had no effect, a write may have had one. */
  lost: 'database_unavailable' | 'outcome_unknown'
  /** Another transaction held a lock for too long. */
  locked: 'database_unavailable' | 'agent_busy'
}

const LOCK_NOT_AVAILABLE = '55P03'

/** The connection is in a transaction that failed and was not rolled back. */
const IN_FAILED_TRANSACTION = '25P02'

const RETRY_AFTER = { 'retry-after': '2' }

/** The server never ran the statement, or rolled it back: it had no effect. */
const WITHOUT_EFFECT = new Set([
  '25006', // read-only: a standby at the address of the primary, or a primary that was demoted
  IN_FAILED_TRANSACTION,
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections: the session did not begin
  '57014', // statement timeout; a commit is not subject to it
  '57P03', // starting up or shutting down: the session did not begin
])

/** Insufficient resources (53), operator intervention (57), system error (58). */
const TEMPORARY_CLASSES = new Set(['53', '57', '58'])

export function problemFromDatabase(error: unknown, { lost, locked }: FailureCodes): unknown {
  const code = codeOf(error)
  if (code === LOCK_NOT_AVAILABLE) return new Problem(locked, { headers: RETRY_AFTER, cause: error })
  const isTemporary = TEMPORARY_CLASSES.has(code.slice(0, 2))
  if (WITHOUT_EFFECT.has(code) || (isTemporary && !isLost(error) && isRolledBack(error)))
    return databaseUnavailable(error)
  if (isTemporary || isLost(error)) return new Problem(lost, { headers: RETRY_AFTER, cause: error })
  return error
}

export function databaseUnavailable(cause: unknown): Problem {
  return new Problem('database_unavailable', { headers: RETRY_AFTER, cause })
}

/** The connection must not be used again: it broke or timed out, the server ended it, it is still in a transaction of
 * another request, or it is read-only, which a new connection need not be. */
export function mustLeavePool(error: unknown): boolean {
  const code = codeOf(error)
  return code === '25006' || code === IN_FAILED_TRANSACTION || isLost(error)
}

/** The session ended before its statement was answered. */
function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  const { code = '', severity } = error
  // 25P03 ends a session that was idle in a transaction.
  return (
    code.startsWith('08') ||
    code.startsWith('57P') ||
    code === '25P03' ||
    severity === 'FATAL' ||
    severity === 'PANIC'
  )
}

/** ERROR means rolled back. FATAL and PANIC do not: a server that cannot flush its write-ahead log may find the commit
 * there after its restart. A server may send these words in its own language, so only ERROR itself is certain. */
function isRolledBack(error: unknown): boolean {
  return (error as DatabaseError).severity === 'ERROR'
}

function codeOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : ''
}

/** The codes that are counted one by one. */
const COUNTED_CODES = new Set([
  ...WITHOUT_EFFECT,
  LOCK_NOT_AVAILABLE,
  ...['25P03', '26000', '42P01', '42501', '53100', '53200', '53400', '57P01', '57P02', '58030', '08P01'],
])

/** The SQLSTATE, or only its class: a bounded set. `connection` if there is none, because the connection broke or did
 * not respond. */
function errorLabel(error: unknown): string {
  const code = codeOf(error)
  if (code === '') return 'connection'
  return COUNTED_CODES.has(code) ? code : `${code.slice(0, 2)}xxx`
}

/** Counted here and copied when the metrics are read. */
export interface DatabaseStatistics {
  pools: Map<string, PoolStatistics>
  /** Failed statements by SQLSTATE. */
  errors: Map<string, number>
}

export interface PoolStatistics {
  count: () => { inUse: number; idle: number; waiting: number }
  /** Connections that were not made. */
  refused: number
  /** Connections that broke or had to be closed. */
  lost: number
}

export function createPoolStatistics(pool: Pool): PoolStatistics {
  return {
    count: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    refused: 0,
    lost: 0,
  }
}

export function countError({ errors }: DatabaseStatistics, error: unknown): void {
  const label = errorLabel(error)
  errors.set(label, (errors.get(label) ?? 0) + 1)
}
