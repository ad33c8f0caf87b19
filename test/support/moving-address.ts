import { startTcpProxy } from './tcp-proxy.ts'

/** An address that can move from one server to another, as a name in DNS or a proxy does after a failover. Connections
 * that are open stay with their server. */
export interface MovingAddress {
  url: string
  moveTo: (url: string) => void
  close: () => Promise<void>
}

/** `rewrite` changes what the server sends. */
export async function createMovingAddress(
  firstUrl: string,
  rewrite?: (bytes: Buffer) => Buffer,
): Promise<MovingAddress> {
  let target = new URL(firstUrl)
  const proxy = await startTcpProxy({
    target: () => ({ hostname: target.hostname, port: Number(target.port) }),
    ...(rewrite && {
      answer: (server, client) => void server.on('data', (bytes) => client.write(rewrite(bytes))),
    }),
  })
  const url = new URL(firstUrl)
  url.host = `127.0.0.1:${proxy.port}`
  return {
    url: url.toString(),
    moveTo: (next) => {
      target = new URL(next)
    },
    close: proxy.close,
  }
}
