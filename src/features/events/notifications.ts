import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from 'pino'
import type { Sessions, Statements } from '../../platform/postgres/database.ts'
import { named } from '../../platform/postgres/sql.ts'

const RECONNECT_MS = 1_000
const PROBE_TIMEOUT_MS = 1_000

/** Listens for notifications on its own connection, and sends one to test whether they arrive. */
export class OutboxListener {
  readonly #url: string
  readonly #log: Logger
  readonly #onNotification: () => void
  readonly #closing = new AbortController()
  readonly #listening: Promise<void>
  #isReceiving = false
  #current: Client | undefined

  constructor(url: string, log: Logger, onNotification: () => void) {
    this.#url = url
    this.#log = log
    this.#onNotification = onNotification
    this.#listening = this.#keepListening()
  }

  /** Whether notifications arrive; they do not through PgBouncer. */
  isReceiving(): boolean {
    return this.#isReceiving
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#current?.end().catch(() => {})
    await this.#listening
  }

  async #keepListening(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#listen().catch((error: unknown) =>
        this.#log.debug({ err: error }, 'cannot listen to the outbox; retrying'),
      )
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #listen(): Promise<void> {
    const client = createClient(this.#url)
    this.#current = client
    const lost = new Promise<void>((resolve) => {
      // Not `once`: pg emits two errors for a session that the server ends, and the process ends at one without a
      // listener.
      client.on('error', () => resolve())
      client.once('end', () => resolve())
    })
    // Not only within the timeout of the probe: on a busy machine the first notification may arrive later.
    client.on('notification', () => {
      this.#isReceiving = true
      this.#onNotification()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`)
      await Promise.allSettled([
        once(client, 'notification', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }),
        notifyFromOtherConnection(this.#url),
      ])
      if (!this.#isReceiving) {
        this.#log.warn(
          'notifications of PostgreSQL do not arrive, so the relay polls the outbox more often; ' +
            'set RELAY_DATABASE_URL to a connection that does not go through a pooler',
        )
      }
      // There may have been writes before LISTEN.
      this.#onNotification()
      await lost
    } finally {
      this.#isReceiving = false
      await client.end().catch(() => {})
    }
  }
}

function createClient(url: string): Client {
  return new Client({
    connectionString: url,
    application_name: 'agent-console-relay-listener',
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
  })
}

/** On a second connection: through a pooler, a connection receives only its own notifications, and a test would
 * succeed. */
async function notifyFromOtherConnection(url: string): Promise<void> {
  const client = createClient(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`NOTIFY ${OUTBOX_CHANNEL}`)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The PostgreSQL channel that relays listen to. */
const OUTBOX_CHANNEL = 'console_outbox'

/** At most one notification in this time. */
const MIN_INTERVAL_MS = 5

/** Wraps sessions so that relays are notified, by a statement of `system`, after each committed write. The
 * notification is not part of the write transaction, because PostgreSQL serialises the commits of transactions that
 * notify. It may get lost: relays also poll. */
export function notifyAfterWrites(
  sessions: Sessions,
  system: Pick<Statements, 'read'>,
  log: Logger,
): Sessions {
  let isDue = false
  let isNotifying = false

  /** One at a time: slow notifications must not use up the connection pool. */
  // The statement writes nothing, so the commit need not wait for the disk.
  const notify = async () => {
    isDue = false
    isNotifying = true
    const notified = system
      .read(named('notify-relays')`
SELECT set_config('synchronous_commit', 'off', true), pg_notify(${OUTBOX_CHANNEL}, '')`)
      .catch((error: unknown) => log.debug({ err: error }, 'cannot notify the relays of a write'))
    await Promise.all([notified, sleep(MIN_INTERVAL_MS, undefined, { ref: false })])
    isNotifying = false
    if (isDue) void notify()
  }

  const notifyAfter = async <Result>(write: Promise<Result>): Promise<Result> => {
    const result = await write
    if (isNotifying) isDue = true
    else void notify()
    return result
  }

  return {
    of: (teamId) => {
      const sql = sessions.of(teamId)
      return {
        read: (statement) => sql.read(statement),
        write: (statement) => notifyAfter(sql.write(statement)),
        transaction: (work) => notifyAfter(sql.transaction(work)),
      }
    },
  }
}
