import { deleteExpiredBulks } from './agents/batch/repetition.ts'
import { deleteExpiredKeys } from './agents/configuration/idempotency.ts'
import { eraseStep } from './agents/lifecycle/erase.ts'
import { createAuditPartitions } from './audit/partitions.ts'
import type { MaintenanceConfig } from './config/maintenance.ts'
import type { Step } from './maintenance/step.ts'
import type { Metrics } from './platform/observe/metrics.ts'

const SECONDS_PER_DAY = 86_400

/** The background work of all features. */
export function maintenanceSteps(
  { idempotencyDays, auditRetentionMonths }: MaintenanceConfig,
  { metrics }: { metrics: Metrics },
): Step[] {
  const auditPartitions = createAuditPartitions({
    retentionMonths: auditRetentionMonths,
    setMonthsAhead: metrics.auditPartitions(),
  })
  return [
    {
      name: 'idempotency_keys',
      intervalMs: 5_000,
      run: (sql, now) => deleteExpiredKeys(sql, now - idempotencyDays * SECONDS_PER_DAY),
    },
    {
      name: 'bulk_requests',
      intervalMs: 5_000,
      run: (sql, now) => deleteExpiredBulks(sql, now - idempotencyDays * SECONDS_PER_DAY),
    },
    { name: 'deleted_agents', intervalMs: 5_000, run: eraseStep },
    // Rarely: an attempt to detach a partition can delay changes for as long as its lock timeout.
    { name: 'audit_partitions', intervalMs: 15_000, run: auditPartitions.extend, commitsEachStatement: true },
    { name: 'audit_retention', intervalMs: 15_000, run: auditPartitions.expire, commitsEachStatement: true },
  ]
}
