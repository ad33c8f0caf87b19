import { Client } from 'pg'
import { POOLER_HELP } from '../../src/platform/postgres/pooler.ts'
import { explainDatabaseError } from '../options.ts'
import { orOk, problem, type Result } from './finding.ts'

const OLDEST_VERSION = 15

/** The same startup parameters as the console sends, so that a pooler that refuses them refuses these, too. */
export function createClient(url: string): Client {
  const client = new Client({
    connectionString: url,
    application_name: 'agent-console doctor',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 5_000,
    query_timeout: 8_000,
    options: '-c jit=off -c log_parameter_max_length_on_error=0',
  })
  // A connection that breaks fails the statement in progress. Without a listener the event would end the process.
  client.on('error', () => {})
  return client
}

export function explainConnection(error: Error): Result {
  const isPooler = error.message.startsWith('unsupported startup parameter')
  return problem(
    `PostgreSQL cannot be used: ${explainDatabaseError(error)}`,
    isPooler
      ? `${POOLER_HELP[0]?.toUpperCase()}${POOLER_HELP.slice(1)}.`
      : 'Check the address, the firewall and the login in DATABASE_URL.',
  )
}

interface Server {
  version: string
  major: number
  isReadOnly: boolean
  encoding: string
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
}

/** The version, and the settings on which the promises of the console rest. */
export async function checkServer(client: Client): Promise<Result[]> {
  const { rows } = await client.query<Server>(READ_SERVER)
  const [server] = rows
  if (!server) throw new Error('PostgreSQL returned no settings')
  const { version, major, isReadOnly, encoding } = server
  const unsafe = Object.entries({
    fsync: server.fsync,
    full_page_writes: server.fullPageWrites,
    synchronous_commit: server.synchronousCommit,
  }).filter(([, value]) => value === 'off')
  return orOk(
    [
      major >= OLDEST_VERSION
        ? undefined
        : problem(`PostgreSQL is ${version}.`, `Upgrade it to version ${OLDEST_VERSION} or newer.`),
      isReadOnly
        ? problem(
            'The database is read-only: every change gets 503.',
            'Let DATABASE_URL lead to the primary, and reset default_transaction_read_only.',
          )
        : undefined,
      encoding === 'UTF8'
        ? undefined
        : problem(
            `The encoding of the database is ${encoding}.`,
            "Create it again with ENCODING 'UTF8', and restore the data.",
          ),
      ...unsafe.map(([name]) =>
        problem(
          `${name} is off: a crash can lose or damage changes that clients were told of.`,
          `Set it to on.`,
        ),
      ),
    ],
    `PostgreSQL ${version}, read-write`,
  )
}

const READ_SERVER = `
SELECT
  current_setting('server_version') AS version,
  current_setting('server_version_num')::int / 10000 AS major,
  current_setting('transaction_read_only')::boolean AS "isReadOnly",
  current_setting('server_encoding') AS encoding,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit"`
