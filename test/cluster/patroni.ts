import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unprivileged } from '../../dev/postgres-programs.ts'
import { createServerProcess } from '../support/server-process.ts'
import type { SmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import type { Machine } from './network.ts'

/** A PostgreSQL server with the Patroni that controls it. */
export interface PatroniNode {
  name: string
  machine: Machine
  disk: SmallDisk
  /** Leads to this server, as a superuser, whatever its role. */
  url: string
  /** The REST interface of Patroni. */
  restUrl: string
  /** Starts Patroni, unless it runs. Patroni starts PostgreSQL. */
  start: () => Promise<void>
  /** The end of the log of Patroni and PostgreSQL. */
  log: () => string
  /** A crash of the machine: SIGKILL for Patroni, then for PostgreSQL. */
  kill: () => Promise<void>
}

export interface PatroniOptions {
  name: string
  machine: Machine
  /** Gets the data. */
  disk: SmallDisk
  /** `host:port` of the members of etcd. */
  etcdHosts: string[]
  /** The folder of the programs of PostgreSQL. */
  bin: string
}

const POSTGRES_PORT = 5432
const REST_PORT = 8008

export async function createPatroniNode(options: PatroniOptions): Promise<PatroniNode> {
  const { name, machine, disk } = options
  const data = join(disk.folder, 'data')
  const file = join(disk.folder, 'patroni.json')
  // JSON is YAML.
  await writeFile(file, JSON.stringify(configuration(options, data)))
  const [command = '', ...enter] = [...machine.enter, ...unprivileged(disk.folder)]
  const patroni = createServerProcess({
    command,
    args: [...enter, 'patroni', file],
    log: 'stderr',
    ready: 'INFO',
    detached: true,
  })
  return {
    name,
    machine,
    disk,
    url: `postgres://postgres@${machine.address}:${POSTGRES_PORT}/postgres`,
    restUrl: `http://${machine.address}:${REST_PORT}`,
    start: async () => {
      if (patroni.pid() === undefined) await patroni.start()
    },
    log: patroni.output,
    kill: async () => {
      // First Patroni: it would start PostgreSQL again, or give its leadership away.
      patroni.signal('SIGKILL')
      const pid = postmasterOf(data)
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      // PostgreSQL has the output of Patroni, which is therefore open until both have ended.
      await patroni.end('SIGKILL')
      await until('PostgreSQL has ended', () => postmasterOf(data) === undefined)
    },
  }
}

function configuration({ name, machine, disk, etcdHosts, bin }: PatroniOptions, data: string): object {
  const postgres = `${machine.address}:${POSTGRES_PORT}`
  const rest = `${machine.address}:${REST_PORT}`
  return {
    scope: 'console',
    name,
    restapi: { listen: rest, connect_address: rest },
    // Not `etcd3`: with it, Patroni 3.0 overwrites the key of a new leader after the network of the old one is back, so that both
    // accept writes on the same timeline.
    etcd: { hosts: etcdHosts },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, synchronous_mode: true },
        // Otherwise a primary without a standby acknowledges writes that are lost with it.
        synchronous_mode_strict: true,
        postgresql: {
          ...{ use_pg_rewind: true, use_slots: true },
          parameters: {
            ...{ max_connections: 200, max_wal_size: '128MB', wal_keep_size: '64MB' },
            // A standby that is cut off must not keep its place for the default of a minute.
            ...{ wal_sender_timeout: '10s', wal_receiver_timeout: '10s' },
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
      pg_hba: ['local all all trust', 'host all all all trust', 'host replication all all trust'],
    },
    postgresql: {
      ...{ listen: postgres, connect_address: postgres, data_dir: data, bin_dir: bin },
      pgpass: join(disk.folder, 'pgpass'),
      parameters: { unix_socket_directories: disk.folder },
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      // A former primary that cannot rejoin gets a new copy.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  }
}

/** The process of PostgreSQL. Undefined if it does not run. */
function postmasterOf(data: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres' ? pid : undefined
  } catch {
    return undefined
  }
}
