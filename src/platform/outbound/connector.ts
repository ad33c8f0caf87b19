import type { BlockList, LookupFunction } from 'node:net'
import { buildConnector } from 'undici'

export interface ConnectorOptions {
  blockList: BlockList
  /** The resolver of the system when absent. */
  lookup?: LookupFunction
  /** Closes the connection, also while it is being made. */
  signal: AbortSignal
}

/** The signal limits the time. */
const NO_TIMEOUT = { timeout: 0, allowH2: false }

/** Connects to no address in the block list. Node compares the address itself, after DNS, so that a name cannot change between
 * the check and the connection. `tls.connect()` ignores the option `blockList`: TLS starts on a connection that was made
 * without it. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({ ...NO_TIMEOUT, ...options })
  const startTls = buildConnector({ ...NO_TIMEOUT, maxCachedSessions: 0 })

  return (target, callback) => {
    const { hostname, protocol } = target
    const usesTls = protocol === 'https:'
    const port = target.port || (usesTls ? '443' : '80')
    connect({ hostname, port, protocol: 'http:' }, (...[error, socket]) => {
      if (error) callback(error, null)
      else if (usesTls) startTls({ ...target, httpSocket: socket }, callback)
      else callback(null, socket)
    })
  }
}
