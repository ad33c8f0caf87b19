import type { Logger } from 'pino'
import { deleteExpiredBulks } from './agents/bulk/store.ts'
import { deleteExpiredKeys } from './agents/configuration/idempotency.ts'
import { backfillStep } from './agents/delegation/backfill.ts'
import { eraseStep } from './agents/lifecycle/erase.ts'
import { fillStep } from './agents/list/readiness.ts'
import { createAuditPartitions } from './audit/partitions.ts'
import { createSealStep } from './audit/seals/seal-step.ts'
import type { MaintenanceConfig } from './config/maintenance.ts'
import type { Step } from './maintenance/step.ts'
import type { Metrics } from './platform/observe/metrics.ts'
import { createSigner } from './platform/secrets/signer.ts'

const SECONDS_PER_DAY = 86_400

/** The background work of all features. */
export function maintenanceSteps(
  { idempotencyDays, auditRetentionMonths, auditSigningKeys }: MaintenanceConfig,
  { metrics, log }: { metrics: Metrics; log: Logger },
): Step[] {
  const auditPartitions = createAuditPartitions({
    retentionMonths: auditRetentionMonths,
    setMonthsAhead: metrics.auditPartitions(),
  })
  const seal = createSealStep({
    signer: createSigner(auditSigningKeys),
    setSealedUntil: metrics.auditSeals(),
    log,
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
    // Has nothing to do when all agents from before the migration of agent_filters have their row there.
    { name: 'agent_filters', intervalMs: 15_000, run: fillStep },
    { name: 'delegations', intervalMs: 5_000, run: backfillStep },
    // Rarely: an attempt to detach a partition can delay changes for as long as its lock timeout.
    { name: 'audit_partitions', intervalMs: 15_000, run: auditPartitions.extend, commitsEachStatement: true },
    { name: 'audit_retention', intervalMs: 15_000, run: auditPartitions.expire, commitsEachStatement: true },
    ...(auditSigningKeys.length === 0 ? [] : [{ name: 'audit_seals', intervalMs: 60_000, run: seal }]),
  ]
}
