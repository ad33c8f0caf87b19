import { once } from 'node:events'
import type { Server } from 'node:http'
import { onFreePort } from './free-port.ts'

export interface ListenOptions {
  /** A free one below 32768 when absent or 0. */
  port?: number | undefined
  host?: string | undefined
}

/** An HTTP server that can go away and come back at the same address. */
export interface HttpService {
  readonly url: string
  readonly port: number
  /** An outage: refuses connections and cuts the open ones, until `resume`. */
  stop(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

export async function serve(
  server: Server,
  { port: wanted = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<HttpService> {
  const listenOn = (port: number) => listen(server, port, host)
  const port = wanted === 0 ? await onFreePort(listenOn) : await listenOn(wanted)
  const stop = () => stopListening(server)
  return {
    url: `http://${host}:${port}`,
    port,
    stop,
    async resume() {
      if (!server.listening) await listenOn(port)
    },
    close: stop,
  }
}

/** Rejects with the system's own error, for example EADDRINUSE. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await once(server.listen(port, host), 'listening')
  return port
}

/** Closes open connections too, as an outage does. */
export async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
