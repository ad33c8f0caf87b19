import { once } from 'node:events'
import type { Server } from 'node:http'

/** Rejects with the system's own error, for example EADDRINUSE. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
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
