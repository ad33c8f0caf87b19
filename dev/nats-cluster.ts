import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePorts } from './free-port.ts'
import { createNatsProcess, type NatsProcess } from './nats-process.ts'

/** Several NATS servers that keep one JetStream together: for a test that kills some of them. */
export interface NatsCluster {
  urls: string[]
  nodes: NatsNode[]
  /** The node that leads a stream; undefined while there is none. */
  leaderOf: (stream: string) => Promise<NatsNode | undefined>
  /** Whether a stream has a leader and every other copy of it has caught up. */
  isWhole: (stream: string) => Promise<boolean>
  remove: () => Promise<void>
}

export interface NatsNode extends NatsProcess {
  name: string
  url: string
}

/** How long an election may take before the cluster counts as broken. */
const PATIENCE_MS = 30_000

export async function startNatsCluster(size: number): Promise<NatsCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'console-nats-cluster-'))
  const ports = await freePorts(2 * size)
  const clientPorts = ports.slice(0, size)
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`)
  const nodes = clientPorts.map((port, n): NatsNode => {
    const name = `node-${n + 1}`
    const server = createNatsProcess([
      ...['--addr', '127.0.0.1', '--port', String(port), '--server_name', name],
      ...['--jetstream', '--store_dir', join(folder, name)],
      ...['--cluster_name', 'console', '--cluster', routes[n] as string, '--routes', routes.join(',')],
    ])
    return { ...server, name, url: `nats://127.0.0.1:${port}` }
  })
  const urls = nodes.map(({ url }) => url)
  const remove = async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    await rm(folder, { recursive: true })
  }
  try {
    await Promise.all(nodes.map((node) => node.start()))
    await jetstreamAnswers(urls)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    urls,
    nodes,
    leaderOf: async (stream) => {
      const leader = (await streamInfo(urls, stream))?.cluster?.leader
      return nodes.find(({ name }) => name === leader)
    },
    isWhole: async (stream) => {
      const cluster = (await streamInfo(urls, stream))?.cluster
      return Boolean(cluster?.leader) && cluster?.replicas?.every(({ current }) => current) === true
    },
    remove,
  }
}

/** The servers take connections before they have chosen who leads. */
async function jetstreamAnswers(urls: string[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await onCluster(urls, async (manager) => void (await manager.getAccountInfo()))
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

async function streamInfo(urls: string[], stream: string): Promise<StreamInfo | undefined> {
  return onCluster(urls, (manager) => manager.streams.info(stream)).catch(() => undefined)
}

/** On a connection of its own, to whichever node is up. */
async function onCluster<T>(
  urls: string[],
  work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: urls, reconnect: false })
  try {
    return await work(await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 }))
  } finally {
    await connection.close()
  }
}
