import { startTcpProxy } from '../support/tcp-proxy.ts'
import { createCommitReader } from './wire.ts'

/** A proxy in front of PostgreSQL that can cut a connection right after it has passed a COMMIT on. The client gets no
 * response; the server gets the COMMIT. */
export interface CommitCutter {
  url: string
  /** Cuts every other commit from now on, so many in all. */
  cut: (count: number) => void
  left: () => number
  close: () => Promise<void>
}

export async function startCommitCutter(databaseUrl: string): Promise<CommitCutter> {
  const { hostname, port } = new URL(databaseUrl)
  let left = 0
  let commits = 0
  const proxy = await startTcpProxy({
    target: () => ({ hostname, port: Number(port) }),
    forward: (client, server) => {
      const { read } = createCommitReader()
      const cut = (bytes: Buffer) => {
        left--
        server.unpipe(client)
        server.resume()
        server.end(bytes, () => client.resetAndDestroy())
      }
      client.on('data', (bytes: Buffer) => {
        const isCut = read(bytes) && left > 0 && commits++ % 2 === 0
        if (isCut) cut(bytes)
        else server.write(bytes)
      })
      client.on('end', () => server.end())
    },
  })
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${proxy.port}`
  return {
    url: url.toString(),
    cut: (count) => {
      left = count
      commits = 0
    },
    left: () => left,
    close: proxy.close,
  }
}
