import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  type Registry,
} from 'prom-client'
import { DATABASE_STATES, type DatabaseState } from './state.ts'
import type { DatabaseStatistics } from './statistics.ts'

export interface DatabaseObservation {
  statistics: DatabaseStatistics
  /** Undefined if it is not known. */
  state: () => DatabaseState | undefined
}

/** Nothing here waits: a scrape must not take longer because the database does. */
export function observeDatabase(registry: Registry, { statistics, state }: DatabaseObservation): void {
  const addGauge = <Label extends string>(configuration: GaugeConfiguration<Label>) =>
    registry.registerMetric(new Gauge({ ...configuration, registers: [] }))
  const addCounter = <Label extends string>(configuration: CounterConfiguration<Label>) =>
    registry.registerMetric(new Counter({ ...configuration, registers: [] }))
  const { pools, errors } = statistics

  addGauge({
    name: 'console_database_connections',
    help: 'Open connections to the database, by pool and state: `in_use` or `idle`',
    labelNames: ['pool', 'state'],
    collect() {
      for (const [pool, { count }] of pools) {
        this.set({ pool, state: 'in_use' }, count().inUse)
        this.set({ pool, state: 'idle' }, count().idle)
      }
    },
  })
  addGauge({
    name: 'console_database_waiting',
    help: 'Statements that wait for a connection to the database',
    labelNames: ['pool'],
    collect() {
      for (const [pool, { count }] of pools) this.set({ pool }, count().waiting)
    },
  })
  addCounter({
    name: 'console_database_connection_errors_total',
    help: 'Connections to the database that were not made (`refused`) or that broke or had to be closed (`lost`)',
    labelNames: ['pool', 'kind'],
    collect() {
      this.reset()
      for (const [pool, { refused, lost }] of pools) {
        this.inc({ pool, kind: 'refused' }, refused)
        this.inc({ pool, kind: 'lost' }, lost)
      }
    },
  })
  addCounter({
    name: 'console_database_errors_total',
    help: 'Statements that failed, by SQLSTATE or its class; `connection` if the server did not respond',
    labelNames: ['sqlstate'],
    collect() {
      this.reset()
      for (const [sqlstate, count] of errors) this.inc({ sqlstate }, count)
    },
  })
  addGauge({
    name: 'console_database_state',
    help: '1 for the state of the database at the last check',
    labelNames: ['state'],
    collect() {
      const current = state()?.state
      for (const each of DATABASE_STATES) this.set({ state: each }, each === current ? 1 : 0)
    },
  })
  addGauge({
    name: 'console_database_schema_info',
    help: 'The newest migration of the database',
    labelNames: ['version'],
    collect() {
      this.reset()
      const version = state()?.schema
      if (version !== undefined) this.set({ version }, 1)
    },
  })
}
