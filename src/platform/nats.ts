import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
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
        servers: url.split(','),
        name: 'agent-console',
        timeout: 2_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // A server that hangs is noticed within seconds, not minutes.
        pingInterval: 5_000,
        maxPingOut: 2,
      })
      isUp = true
      log.info('connected to NATS')
      void follow(connection)
    } catch (error) {
      const { message } = error as Error
      if (message !== lastFailure) log.warn({ err: error }, 'NATS does not answer; trying on')
      lastFailure = message
    }
  }
  const follow = async (connected: NatsConnection) => {
    for await (const { type } of connected.status()) {
      if (type === 'disconnect') log.warn('the connection to NATS was lost')
      if (type === 'reconnect') log.info('connected to NATS again')
      if (type === 'disconnect' || type === 'staleConnection') isUp = false
      if (type === 'reconnect') isUp = true
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
