import type { Core, Feature } from '../../core.ts'
import { AuditRecorder } from './audit.ts'
import { expireAuditPartitions, extendAuditPartitions, observeAuditPartitions } from './queries.ts'
import { auditRoutes } from './routes.ts'
import { AUDIT_SCHEMAS } from './schema.ts'

export { recordAgentExport } from './audit.ts'

export interface AuditFeature extends Feature {
  recorder: AuditRecorder
}

/** The audit log of a team. */
export function auditFeature(core: Core): AuditFeature {
  const recorder = new AuditRecorder(core)
  const setMonthsAhead = observeAuditPartitions(core.metrics)
  const { auditRetentionMonths } = core.config
  return {
    recorder,
    schemas: AUDIT_SCHEMAS,
    routes: async (app) => {
      app.addHook('onClose', () => recorder.close())
      await app.register(auditRoutes, { core })
    },
    steps: [
      {
        name: 'audit_partitions',
        // Rarely: an attempt to detach a partition can delay changes for as long as its lock timeout.
        intervalMs: 15_000,
        run: (sql, nowSeconds) => extendAuditPartitions(sql, nowSeconds, setMonthsAhead),
        commitsEachStatement: true,
      },
      {
        name: 'audit_retention',
        intervalMs: 15_000,
        run: (sql, nowSeconds) => expireAuditPartitions(sql, nowSeconds, auditRetentionMonths),
        commitsEachStatement: true,
      },
    ],
  }
}
