import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { OUTBOX_CHANNEL } from './outbox-bell.ts'

export interface OutboxListener {
  /** Whether announcements arrive here. Behind PgBouncer they do not. */
  hears: () => boolean
  close: () => Promise<void>
}

const RECONNECT_MS = 1_000
const PROBE_MS = 1_000

/** Hears on a connection of its own that something was written, and finds out whether it hears. */
export function listenToOutbox(url: string, log: Logger, onWritten: () => void): OutboxListener {
  const ending = new AbortController()
  let hears = false
  let current: Client | undefined

  const createClient = () =>
    new Client({
      connectionString: url,
      application_name: 'agent-console-relay-listener',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    })

  /** From another connection: a pooler passes on what the same one announces, and nothing else. */
  const announceFromElsewhere = async () => {
    const client = createClient()
    client.on('error', () => {})
    await client.connect()
    await client.query(`NOTIFY ${OUTBOX_CHANNEL}`)
    await client.end()
  }

  const listen = async () => {
    const client = createClient()
    current = client
    const lost = new Promise<void>((resolve) => {
      client.once('error', () => resolve())
      client.once('end', () => resolve())
    })
    // Also when the first one takes longer than is waited for: a busy moment at the start is no pooler.
    client.on('notification', () => {
      hears = true
      onWritten()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`)
      await Promise.allSettled([
        once(client, 'notification', { signal: AbortSignal.timeout(PROBE_MS) }),
        announceFromElsewhere(),
      ])
      if (!hears) {
        log.warn(
          'announcements do not arrive on this connection, so the outbox is read more often; ' +
            'RELAY_DATABASE_URL may name a connection that does not go through a pooler',
        )
      }
      // What was written while nobody listened.
      onWritten()
      await lost
    } finally {
      hears = false
      await client.end().catch(() => {})
    }
  }

  const keepListening = async () => {
    while (!ending.signal.aborted) {
      await listen().catch((error: unknown) => log.debug({ err: error }, 'the outbox is not listened to'))
      await sleep(RECONNECT_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  }
  const listening = keepListening()

  return {
    hears: () => hears,
    close: async () => {
      ending.abort()
      await current?.end().catch(() => {})
      await listening
    },
  }
}
