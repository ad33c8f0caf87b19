import { parseInteger, parseSwitch } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'

export interface MaintenanceConfig {
  readonly idempotencyDays: number
  /** 0: audit events are kept for ever. */
  readonly auditRetentionMonths: number
}

export function readMaintenance({ read }: Reader): MaintenanceConfig | undefined {
  const maintenance = {
    idempotencyDays: 7,
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', (text) => parseInteger(text, 0, 1_200), 0),
  }
  return read('MAINTENANCE', parseSwitch, true) ? maintenance : undefined
}
