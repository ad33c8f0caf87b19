import type { Pool } from 'pg'
import { errorLabel } from './errors.ts'

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
