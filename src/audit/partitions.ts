import type { Statement, Statements } from '../platform/database/database.ts'
import { unnamed } from '../platform/database/sql.ts'
import { timeOf } from '../platform/id-time.ts'

/** As many as the baseline creates. A month without a partition would fail every change, so that even a maintenance
 * that is off for months does no harm. */
const MONTHS_AHEAD = 12

export interface AuditPartitionsOptions {
  /** How many whole months before the current one are kept. 0: all. */
  retentionMonths: number
  setMonthsAhead: (months: number) => void
}

export function createAuditPartitions({ retentionMonths, setMonthsAhead }: AuditPartitionsOptions) {
  return {
    /** Creates at most one partition. Months follow each other without a gap, also after a long pause. */
    extend: async (sql: Statements, nowSeconds: number): Promise<boolean> => {
      const end = await readEnd(sql)
      const ahead = end - monthOf(nowSeconds * 1_000) - 1
      setMonthsAhead(ahead)
      if (ahead >= MONTHS_AHEAD) return false
      await sql.write(unnamed`SELECT create_audit_partition(${toDate(end)})`)
      return true
    },

    /** Drops what the run before has detached, then detaches the oldest partition if its records are too old. */
    expire: async (sql: Statements, nowSeconds: number): Promise<boolean> => {
      if (retentionMonths === 0) return false
      const oldestKept = toDate(monthOf(nowSeconds * 1_000) - retentionMonths)
      const isDropped = await call(sql, unnamed`SELECT drop_expired_audit_partition() AS done`)
      const isExpired = await call(sql, unnamed`SELECT expire_audit_partition(${oldestKept}) AS done`)
      return isDropped || isExpired
    },
  }
}

async function call(sql: Statements, statement: Statement): Promise<boolean> {
  const [row] = await sql.write<{ done: boolean }>(statement)
  return row?.done === true
}

/** The first month without a partition. */
async function readEnd(sql: Statements): Promise<number> {
  const [row] = await sql.read<{ endId: string }>(unnamed`
SELECT end_id AS "endId" FROM audit_partitions ORDER BY end_id DESC LIMIT 1`)
  return monthOf(timeOf(row?.endId ?? ''))
}

/** Months since the year 0. */
function monthOf(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function toDate(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`
}
