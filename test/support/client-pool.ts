import { RawClient, type RawResponse } from './raw-client.ts'

/** Open connections to one replica, as a load balancer has them. */
export interface ClientPool {
  /** A request that finds all connections busy waits for one. Undefined if the connection failed. */
  send: (request: string) => Promise<RawResponse | undefined>
  hasIdle: () => boolean
  close: () => void
}

/** Opened at the same time: fewer than the backlog of the console. */
const OPENED_AT_ONCE = 100

export async function openClients(url: string, count: number): Promise<ClientPool> {
  const idle: RawClient[] = []
  const waiting: ((client: RawClient) => void)[] = []
  while (idle.length < count) {
    const opened = Array.from({ length: Math.min(OPENED_AT_ONCE, count - idle.length) }, async () => {
      const client = new RawClient(url)
      await client.send('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n')
      return client
    })
    idle.push(...(await Promise.all(opened)))
  }
  return {
    send: async (request) => {
      // In turn: the console would close a connection that is idle for long.
      const client = idle.shift() ?? (await new Promise<RawClient>((resolve) => waiting.push(resolve)))
      const response = await client.send(request).catch(() => undefined)
      const next = waiting.shift()
      if (next) next(client)
      else idle.push(client)
      return response
    },
    hasIdle: () => idle.length > 0,
    close: () => {
      for (const client of idle) client.close()
    },
  }
}
