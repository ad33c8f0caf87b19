import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'

export interface Nats {
  /** Undefined until the first connection was made. It then mends itself whenever it breaks. */
  connection: () => NatsConnection | undefined
  isUp: () => boolean
  close: () => Promise<void>
}

const RETRY_MS = 500

/** Connects in the background: the console starts, and stays up, without NATS. */
export function createNats(url: string, log: Logger): Nats {
  const ending = new AbortController()
  let connection: NatsConnection | undefined
  let isUp = false
  let lastFailure = ''

  const connectOnce = async () => {
    try {
      connection = await connect({
        ...readUrl(url),
        name: 'agent-console',
        // Not less: a first attempt that is given up leaves its socket open until the server closes it.
        timeout: 5_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // Credentials are changed on one side first: it would give up for good after being refused twice.
        ignoreAuthErrorAbort: true,
        // A server that hangs is noticed within seconds, not minutes.
        pingInterval: 5_000,
        maxPingOut: 2,
        // Noting for each message where it was sent from, in case it fails, would take a seventh of a relay's time.
        noAsyncTraces: true,
      })
      isUp = true
      log.info('connected to NATS')
      void follow(connection)
    } catch (error) {
      complain(error as Error)
    }
  }
  const complain = (error: Error) => {
    if (error.message !== lastFailure)
      log.warn({ err: error }, 'NATS does not answer as it should; trying on')
    lastFailure = error.message
  }
  const follow = async (connected: NatsConnection) => {
    for await (const status of connected.status()) {
      if (status.type === 'reconnect') {
        log.info('connected to NATS again')
        isUp = true
        lastFailure = ''
      }
      // Also after each attempt that was refused, and with it the reason.
      if (status.type === 'disconnect' || status.type === 'staleConnection') {
        if (isUp) log.warn('the connection to NATS was lost')
        isUp = false
      }
      if (status.type === 'error') complain(status.error)
    }
  }
  const connecting = (async () => {
    while (!ending.signal.aborted && !connection) {
      await connectOnce()
      if (!connection) await sleep(RETRY_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  })()

  return {
    connection: () => connection,
    isUp: () => isUp,
    close: async () => {
      ending.abort()
      await connecting
      isUp = false
      await connection?.close()
    },
  }
}

/** The client takes neither credentials nor `tls:` from an address: it would drop them in silence. Those of the first
 * address count; a user without a password is a token. */
function readUrl(url: string): ConnectionOptions {
  const addresses = url.split(',').map((one) => new URL(one.trim()))
  const [first] = addresses
  const [user, pass] = [first?.username ?? '', first?.password ?? ''].map(decodeURIComponent)
  return {
    servers: addresses.map(({ host }) => host),
    ...(user && pass ? { user, pass } : user ? { token: user } : {}),
    ...(addresses.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  }
}
