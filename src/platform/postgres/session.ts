import { SpanKind } from '@opentelemetry/api'
import type { PoolClient } from 'pg'
import type { Turns } from '../limits/turns.ts'
import { inSpan } from '../observe/tracing.ts'
import type { Connections } from './connections.ts'
import {
  countError,
  type DatabaseStatistics,
  type FailureCodes,
  mustLeavePool,
  problemFromDatabase,
} from './errors.ts'
import { type Statement, sendStatement } from './sql.ts'

export interface Sql extends Statements {
  /** Runs the statements of `work` in one transaction, and commits it unless `work` throws. */
  transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
}

/** A connection lost during a read is `database_unavailable`, during a write or a commit `outcome_unknown`. */
export interface Statements {
  read: <Row extends object>(statement: Statement) => Promise<Row[]>
  write: <Row extends object>(statement: Statement) => Promise<Row[]>
}

/** What sessions share. */
export interface SessionOptions {
  connections: Connections
  statistics: DatabaseStatistics
  /** Undefined for the console's own statements, which wait for no turn. */
  turns: Turns | undefined
}

/** The statements of a team. Each statement or transaction takes a turn and a connection of its own. */
export class Session implements Sql {
  readonly #options: SessionOptions
  readonly #team: string

  constructor(options: SessionOptions, team: string) {
    this.#options = options
    this.#team = team
  }

  read<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#use((connection) => connection.send(statement, READ))
  }

  write<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#use((connection) => connection.send(statement, WRITE))
  }

  transaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#use((connection) => connection.transact(work))
  }

  async #use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const { connections, turns } = this.#options
    const turn = turns?.enter(this.#team)
    if (turn) await inSpan('wait for a turn', {}, () => turn)
    try {
      const connection = new Connection(await connections.take(), this.#options)
      try {
        return await work(connection)
      } finally {
        connections.giveBack(connection.client, connection.isLost)
      }
    } finally {
      turns?.leave(this.#team)
    }
  }
}

const QUERY = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }

// A read waits only for a lock on the whole table, never for another change of an agent.
const READ: FailureCodes = { lost: 'database_unavailable', locked: 'database_unavailable' }
const WRITE: FailureCodes = { lost: 'outcome_unknown', locked: 'agent_busy' }
/** Without its COMMIT a transaction has no effect. */
const IN_TRANSACTION: FailureCodes = { lost: 'database_unavailable', locked: 'agent_busy' }

const command = (text: string): Statement => ({ name: undefined, text, values: [] })

/** A process that stops within a transaction must not keep its locks. */
const BEGIN = command("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'")

/** A connection that a session has taken from the pool. */
class Connection {
  readonly client: PoolClient
  readonly #options: SessionOptions
  /** Whether it must leave the pool. */
  isLost = false

  constructor(client: PoolClient, options: SessionOptions) {
    this.client = client
    this.#options = options
  }

  async send<Row extends object>({ name, text, values }: Statement, codes: FailureCodes): Promise<Row[]> {
    const { connections, statistics } = this.#options
    try {
      const kept = connections.keepsStatements(this.client) ? (name ?? '') : ''
      const run = () => sendStatement(this.client, kept, text, values)
      return (await inSpan(name ?? 'unnamed statement', QUERY, run)).rows as Row[]
    } catch (error) {
      countError(statistics, error)
      if (mustLeavePool(error)) this.isLost = true
      throw problemFromDatabase(error, codes)
    }
  }

  async transact<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    const send = <Row extends object>(statement: Statement) => this.send<Row>(statement, IN_TRANSACTION)
    try {
      // A BEGIN that fails in its second command has begun a transaction, too.
      await send(BEGIN)
      const result = await work({ read: send, write: send })
      await this.send(command('COMMIT'), WRITE)
      return result
    } catch (error) {
      if (!this.isLost) await this.#rollBack()
      throw error
    }
  }

  /** A connection that cannot roll back leaves the pool: the next request would get its aborted transaction. */
  async #rollBack(): Promise<void> {
    try {
      await this.send(command('ROLLBACK'), IN_TRANSACTION)
    } catch {
      this.isLost = true
    }
  }
}
