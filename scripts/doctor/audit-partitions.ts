import type { Client } from 'pg'
import { timeOf } from '../../src/api/uuid.ts'
import { type Context, ok, problem, type Result } from './finding.ts'

const DAY_MS = 86_400_000
/** Maintenance keeps twelve months ahead. */
const FEWEST_DAYS = 90

/** Every change needs a partition for its audit event. */
export async function checkAuditPartitions(client: Client, { now }: Context): Promise<Result[]> {
  const { rows } = await client.query<{ endId: string }>(
    'SELECT end_id AS "endId" FROM audit_partitions ORDER BY end_id DESC LIMIT 1',
  )
  const days = Math.floor((timeOf(rows[0]?.endId ?? '') - now()) / DAY_MS)
  if (days >= FEWEST_DAYS) return [ok(`the audit log has partitions for ${days} days`)]
  return [
    problem(
      `The audit log has partitions for ${days} days only; after that every change fails.`,
      'Run one process with MAINTENANCE=on, and look at its log for the task audit_partitions.',
    ),
  ]
}
