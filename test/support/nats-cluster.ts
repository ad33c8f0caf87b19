import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePorts } from '../../dev/free-port.ts'
import { createNatsProcess, type NatsProcess } from './nats-process.ts'

/** A JetStream cluster, for tests that kill its nodes. */
export interface NatsCluster {
  urls: string[]
  nodes: NatsNode[]
  /** Undefined while the stream has no leader. */
  leaderOf: (stream: string) => Promise<NatsNode | undefined>
  /** Whether a stream has a leader and every replica is current. */
  isWhole: (stream: string) => Promise<boolean>
  remove: () => Promise<void>
}

export interface NatsNode extends NatsProcess {
  name: string
  url: string
}

const ELECTION_TIMEOUT_MS = 30_000

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
    await waitForJetStream(urls)
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

/** The servers accept connections before they have elected a leader, and a new leader refuses to place a stream until it has heard
 * from every node. */
async function waitForJetStream(urls: string[]): Promise<void> {
  const deadline = Date.now() + ELECTION_TIMEOUT_MS
  const probe = { name: 'probe', subjects: ['probe'], num_replicas: urls.length }
  for (;;) {
    try {
      return await onCluster(urls, async ({ streams }) => {
        await streams.add(probe)
        await streams.delete(probe.name)
      })
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

async function streamInfo(urls: string[], stream: string): Promise<StreamInfo | undefined> {
  return onCluster(urls, (manager) => manager.streams.info(stream)).catch(() => undefined)
}

/** Opens a connection to any node that is up. */
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
