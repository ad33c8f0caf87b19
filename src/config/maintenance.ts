import type { SecretText } from '../platform/secrets/secret-text.ts'
import { parseSigningKeys } from '../platform/secrets/signer.ts'
import type { Environment } from '../platform/settings/environment.ts'
import { parseDatabaseUrl, parseInteger, parseSwitch } from '../platform/settings/parsers.ts'
import { createReader, type Reader } from '../platform/settings/reader.ts'

export interface MaintenanceConfig {
  readonly idempotencyDays: number
  /** 0: audit events are kept for ever. */
  readonly auditRetentionMonths: number
  /** In PEM. The first signs the seals of the audit log. Empty: the audit log is not sealed. */
  readonly auditSigningKeys: readonly SecretText[]
}

export function readMaintenance(reader: Reader): MaintenanceConfig | undefined {
  const { read } = reader
  const maintenance = {
    idempotencyDays: read('IDEMPOTENCY_DAYS', (text) => parseInteger(text, 1, 3_650), 7),
    ...readAudit(reader),
  }
  return read('MAINTENANCE', parseSwitch, true) ? maintenance : undefined
}

/** For a command that compares the audit log with its seals. */
export function readAuditConfig(environment: Environment) {
  const reader = createReader(environment)
  return reader.finish({
    databaseUrl: reader.read('DATABASE_URL', parseDatabaseUrl),
    ...readAudit(reader),
  })
}

function readAudit({ read }: Reader): Omit<MaintenanceConfig, 'idempotencyDays'> {
  return {
    auditRetentionMonths: read('AUDIT_RETENTION_MONTHS', (text) => parseInteger(text, 0, 1_200), 0),
    auditSigningKeys: read('AUDIT_SIGNING_KEY', parseSigningKeys, []),
  }
}
