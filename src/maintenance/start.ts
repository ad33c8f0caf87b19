import type { Logger } from 'pino'
import type { Metrics } from '../platform/observe/metrics.ts'
import { createLeader } from './leader.ts'
import { type Maintenance, runMaintenance } from './maintenance.ts'
import type { Step } from './step.ts'

export interface MaintenanceOptions {
  databaseUrl: string
  steps: readonly Step[]
  metrics: Metrics
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
}

export function startMaintenance({ databaseUrl, metrics, ...options }: MaintenanceOptions): Maintenance {
  return runMaintenance({
    ...options,
    leader: createLeader(databaseUrl, options.log),
    metrics: metrics.maintenance(),
  })
}
