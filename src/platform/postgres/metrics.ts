import { createSampler, type Sampler } from '../async.ts'
import { type Factory, onScrape } from '../observe/metrics.ts'
import type { DatabaseStatistics } from './errors.ts'
import { DATABASE_STATES, type DatabaseState } from './state.ts'

export interface ObservedDatabase {
  statistics: DatabaseStatistics
  state: () => Promise<DatabaseState>
}

/** Reads the state of the database now and then, until it is closed. */
export function observeDatabase(
  create: Factory,
  { statistics, state }: ObservedDatabase,
): Sampler<DatabaseState> {
  const sampler = createSampler(state)
  observeConnections(create, statistics)
  observeErrors(create, statistics)
  observeState(create, sampler.latest)
  return sampler
}

function observeConnections(create: Factory, { pools }: DatabaseStatistics): void {
  const connections = create.gauge(
    'console_database_connections',
    'Open connections to the database, by pool and state: `in_use` or `idle`',
    ['pool', 'state'],
  )
  onScrape(connections, () => {
    for (const [pool, { count }] of pools) {
      connections.set({ pool, state: 'in_use' }, count().inUse)
      connections.set({ pool, state: 'idle' }, count().idle)
    }
  })
  const waiting = create.gauge(
    'console_database_waiting',
    'Statements that wait for a connection to the database',
    ['pool'],
  )
  onScrape(waiting, () => {
    for (const [pool, { count }] of pools) waiting.set({ pool }, count().waiting)
  })
}

function observeErrors(create: Factory, { pools, errors }: DatabaseStatistics): void {
  const ofConnections = create.counter(
    'console_database_connection_errors_total',
    'Connections to the database that were not made (`refused`) or that broke or had to be closed (`lost`)',
    ['pool', 'kind'],
  )
  onScrape(ofConnections, () => {
    ofConnections.reset()
    for (const [pool, { refused, lost }] of pools) {
      ofConnections.inc({ pool, kind: 'refused' }, refused)
      ofConnections.inc({ pool, kind: 'lost' }, lost)
    }
  })
  const ofStatements = create.counter(
    'console_database_errors_total',
    'Statements that failed, by SQLSTATE or its class; `connection` if the server did not respond',
    ['sqlstate'],
  )
  onScrape(ofStatements, () => {
    ofStatements.reset()
    for (const [sqlstate, count] of errors) ofStatements.inc({ sqlstate }, count)
  })
}

function observeState(create: Factory, state: () => DatabaseState | undefined): void {
  const states = create.gauge('console_database_state', '1 for the state of the database at the last check', [
    'state',
  ])
  onScrape(states, () => {
    const current = state()?.state
    for (const each of DATABASE_STATES) states.set({ state: each }, each === current ? 1 : 0)
  })
  const schema = create.gauge('console_database_schema_info', 'The newest migration of the database', [
    'version',
  ])
  onScrape(schema, () => {
    schema.reset()
    const version = state()?.schema
    if (version !== undefined) schema.set({ version }, 1)
  })
}

export type MaintenanceMetrics = ReturnType<typeof createMaintenanceMetrics>

export function createMaintenanceMetrics(create: Factory) {
  const runs = create.counter(
    'console_maintenance_runs_total',
    'Runs of background work, by task and outcome',
    ['task', 'outcome'],
  )
  const rows = create.counter(
    'console_maintenance_rows_total',
    'Rows that background work changed or deleted',
    ['task'],
  )
  const lastSuccess = create.gauge(
    'console_maintenance_last_success_timestamp_seconds',
    'Time of the last successful run of a task in this process',
    ['task'],
  )
  return {
    countRun: (task: string, outcome: 'succeeded' | 'skipped' | 'failed', changedRows: number) => {
      runs.inc({ task, outcome })
      rows.inc({ task }, changedRows)
      if (outcome === 'succeeded') lastSuccess.setToCurrentTime({ task })
    },
  }
}
