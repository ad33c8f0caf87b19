import type { Core, Feature } from '../../core.ts'
import { type Audit, createAudit } from './audit.ts'
import { createAuditPartitions, observeAuditPartitions } from './queries.ts'
import { auditRoutes } from './routes.ts'
import { AUDIT_SCHEMAS } from './schema.ts'

export interface AuditFeature extends Feature, Pick<Audit, 'recordRefusal' | 'recordCall' | 'recordExport'> {}

/** The audit log of a team. */
export function auditFeature(core: Core): AuditFeature {
  const { config, database, metrics } = core
  const audit = createAudit({ ...core, sql: database, system: database.system, searches: database.searches })
  const partitions = createAuditPartitions({
    retentionMonths: config.auditRetentionMonths,
    setMonthsAhead: observeAuditPartitions(metrics),
  })
  return {
    recordRefusal: audit.recordRefusal,
    recordCall: audit.recordCall,
    recordExport: audit.recordExport,
    schemas: AUDIT_SCHEMAS,
    routes: async (app) => {
      app.addHook('onClose', () => audit.close())
      await app.register(auditRoutes, { audit })
    },
    steps: [
      // Rarely: an attempt to detach a partition can delay changes for as long as its lock timeout.
      { name: 'audit_partitions', intervalMs: 15_000, run: partitions.extend, commitsEachStatement: true },
      { name: 'audit_retention', intervalMs: 15_000, run: partitions.expire, commitsEachStatement: true },
    ],
  }
}
