import { join } from 'node:path'
import { createServerProcess } from '../support/server-process.ts'
import type { Machine } from './network.ts'

export interface Etcd {
  /** `host:port` of each member. */
  hosts: string[]
  kill: () => Promise<void>
}

/** One member on each machine. */
export async function startEtcd(machines: Machine[], folder: string): Promise<Etcd> {
  const members = machines.map(({ address, enter: [command = '', ...enter] }, n) => {
    const name = `etcd-${n + 1}`
    const client = `http://${address}:2379`
    const peer = `http://${address}:2380`
    return createServerProcess({
      command,
      args: [
        ...[...enter, 'etcd', '--name', name, '--data-dir', join(folder, name)],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...[
          '--initial-cluster',
          machines.map((each, m) => `etcd-${m + 1}=http://${each.address}:2380`).join(),
        ],
        // Patroni uses this version of the interface.
        '--enable-v2',
        // A busy machine must not lose its leader.
        ...['--heartbeat-interval', '200', '--election-timeout', '2000'],
      ],
      log: 'stderr',
      ready: 'ready to serve client requests',
      detached: true,
    })
  })
  const kill = async () => void (await Promise.all(members.map((member) => member.end('SIGKILL'))))
  try {
    await Promise.all(members.map((member) => member.start()))
  } catch (error) {
    await kill()
    throw error
  }
  return { hosts: machines.map(({ address }) => `${address}:2379`), kill }
}
