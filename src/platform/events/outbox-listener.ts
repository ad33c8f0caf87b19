import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { OUTBOX_CHANNEL } from './outbox-notifier.ts'

export interface OutboxListener {
  /** Whether notifications arrive; they do not through PgBouncer. */
  isReceiving: () => boolean
  close: () => Promise<void>
}

const RECONNECT_MS = 1_000
const PROBE_TIMEOUT_MS = 1_000

/** Listens for notifications on its own connection, and sends one to test whether they arrive. */
export function listenToOutbox(url: string, log: Logger, onNotification: () => void): OutboxListener {
  const closing = new AbortController()
  let isReceiving = false
  let current: Client | undefined

  const createClient = () =>
    new Client({
      connectionString: url,
      application_name: 'agent-console-relay-listener',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    })

  /** On a second connection: through a pooler, a connection receives only its own notifications, and a test would succeed. */
  const notifyFromOtherConnection = async () => {
    const client = createClient()
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(`NOTIFY ${OUTBOX_CHANNEL}`)
    } finally {
      await client.end().catch(() => {})
    }
  }

  const listen = async () => {
    const client = createClient()
    current = client
    const lost = new Promise<void>((resolve) => {
      // Not `once`: pg emits two errors for a session that the server ends, and the process ends at one without a listener.
      client.on('error', () => resolve())
      client.once('end', () => resolve())
    })
    // Not only within the timeout of the probe: on a busy machine the first notification may arrive later.
    client.on('notification', () => {
      isReceiving = true
      onNotification()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`)
      await Promise.allSettled([
        once(client, 'notification', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }),
        notifyFromOtherConnection(),
      ])
      if (!isReceiving) {
        log.warn(
          'notifications of PostgreSQL do not arrive, so the relay polls the outbox more often; ' +
            'set RELAY_DATABASE_URL to a connection that does not go through a pooler',
        )
      }
      // There may have been writes before LISTEN.
      onNotification()
      await lost
    } finally {
      isReceiving = false
      await client.end().catch(() => {})
    }
  }

  const keepListening = async () => {
    while (!closing.signal.aborted) {
      await listen().catch((error: unknown) =>
        log.debug({ err: error }, 'cannot listen to the outbox; retrying'),
      )
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const listening = keepListening()

  return {
    isReceiving: () => isReceiving,
    close: async () => {
      closing.abort()
      await current?.end().catch(() => {})
      await listening
    },
  }
}
