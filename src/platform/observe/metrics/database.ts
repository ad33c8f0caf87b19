import { DATABASE_STATES, type DatabaseState } from '../../database/state.ts'
import type { DatabaseStatistics } from '../../database/statistics.ts'
import { type Factory, onScrape } from './factory.ts'

export interface DatabaseObservation {
  statistics: DatabaseStatistics
  /** Undefined if it is not known. */
  state: () => DatabaseState | undefined
}

export function observeDatabase(create: Factory, { statistics, state }: DatabaseObservation): void {
  observeConnections(create, statistics)
  observeErrors(create, statistics)
  observeState(create, state)
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

function observeState(create: Factory, state: DatabaseObservation['state']): void {
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

/** Undefined if they are not known. */
export function observeAgents(create: Factory, latest: () => ReadonlyMap<string, number> | undefined): void {
  const agents = create.gauge(
    'console_agents',
    'Agents of all teams by trust stage, estimated from the statistics of PostgreSQL',
    ['trust_stage'],
  )
  onScrape(agents, () => {
    agents.reset()
    for (const [stage, count] of latest() ?? []) agents.set({ trust_stage: stage }, count)
  })
}
