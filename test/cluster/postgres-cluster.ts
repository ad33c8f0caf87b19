import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from '../../dev/postgres-programs.ts'
import { onServer } from '../support/on-server.ts'
import { createSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { startEtcd } from './etcd.ts'
import { startHaproxy } from './haproxy.ts'
import { createNetwork } from './network.ts'
import { createPatroniNode, type PatroniNode } from './patroni.ts'

/** PostgreSQL under Patroni with synchronous replication, behind HAProxy. */
export interface PostgresCluster {
  /** Leads to the primary, as a superuser. */
  url: string
  nodes: PatroniNode[]
  /** As most of the nodes that respond see them. */
  roles: () => Promise<Partial<Roles>>
  /** Waits until every node has its role. */
  whole: () => Promise<Roles>
  /** Moves the leadership to the synchronous standby. */
  switchOver: () => Promise<void>
  remove: () => Promise<void>
}

export interface Roles {
  leader: PatroniNode
  synchronous: PatroniNode
  /** The other standby. */
  other: PatroniNode
}

interface Member {
  name: string
  role: string
  state: string
  timeline?: number
}

const DISK_MEBIBYTES = 2_048
const RECOVERY_MS = 180_000
const RESPONSE_MS = 3_000
const POLL_MS = 200
/** Newer versions of Patroni call a running standby `streaming`. */
const RUNNING = ['running', 'streaming']

export async function startPostgresCluster(size: number): Promise<PostgresCluster> {
  const bin = findBinaries()
  if (bin === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const cleanUp: (() => Promise<unknown>)[] = []
  const remove = async () => {
    for (const step of cleanUp.splice(0).toReversed()) await step()
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'console-cluster-'))
    cleanUp.push(() => rm(folder, { recursive: true }))
    const network = await createNetwork(size)
    cleanUp.push(network.remove)
    const etcd = await startEtcd(network.machines, folder)
    cleanUp.push(etcd.kill)
    const nodes: PatroniNode[] = []
    for (const [n, machine] of network.machines.entries()) {
      const disk = await createSmallDisk(DISK_MEBIBYTES)
      cleanUp.push(disk.remove)
      const name = `node-${n + 1}`
      nodes.push(await createPatroniNode({ name, machine, disk, etcdHosts: etcd.hosts, bin }))
    }
    cleanUp.push(() => Promise.all(nodes.map((node) => node.kill())))
    await Promise.all(nodes.map((node) => node.start()))
    const cluster = control(nodes)
    await cluster.whole()
    const haproxy = await startHaproxy(
      network.machines.map(({ address }) => address),
      folder,
    )
    cleanUp.push(haproxy.kill)
    return { url: `postgres://postgres@127.0.0.1:${haproxy.port}/postgres`, nodes, ...cluster, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

function control(nodes: PatroniNode[]): Pick<PostgresCluster, 'roles' | 'whole' | 'switchOver'> {
  const toRoles = (members: Member[]): Partial<Roles> => {
    const find = (role: string) => {
      const name = members.find((member) => member.role === role)?.name
      return nodes.find((node) => node.name === name)
    }
    const [leader, synchronous, other] = [find('leader'), find('sync_standby'), find('replica')]
    return { ...(leader && { leader }), ...(synchronous && { synchronous }), ...(other && { other }) }
  }
  const roles = async () => toRoles(await readMembers(nodes))
  const whole = async () => {
    let members: Member[] = []
    const isSo = async () => {
      members = await readMembers(nodes)
      const { leader } = toRoles(members)
      return isWhole(members) && leader !== undefined && (await countStreaming(leader)) === nodes.length - 1
    }
    await until('the cluster is whole', isSo, RECOVERY_MS)
    return toRoles(members) as Roles
  }
  return {
    roles,
    whole,
    switchOver: async () => {
      const { leader, synchronous } = await whole()
      const response = await fetch(`${leader.restUrl}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate: synchronous.name }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`The switchover failed: ${response.status} ${text}`)
      await until('the standby leads', async () => (await roles()).leader === synchronous, RECOVERY_MS)
    },
  }
}

function isWhole(members: Member[]): boolean {
  const has = (role: string, count: number) =>
    members.filter((member) => member.role === role).length === count
  const { size: timelines } = new Set(members.map(({ timeline }) => timeline))
  const isRunning = members.every(({ state }) => RUNNING.includes(state))
  return isRunning && timelines === 1 && has('leader', 1) && has('sync_standby', 1) && has('replica', 1)
}

/** The standbys that get the changes of the primary. Patroni calls a standby `running` before it does. */
function countStreaming({ url }: PatroniNode): Promise<number> {
  const count = "SELECT count(*)::integer AS count FROM pg_stat_replication WHERE state = 'streaming'"
  return onServer(
    url,
    async (server) => (await server.query<{ count: number }>(count)).rows[0]?.count ?? 0,
  ).catch(() => 0)
}

/** What a Patroni that responds knows. A node that is cut off knows nothing new, so all are asked and most decide. */
async function readMembers(nodes: PatroniNode[]): Promise<Member[]> {
  // It is called until something has changed, and each call costs Patroni some work.
  await sleep(POLL_MS)
  const views = await Promise.all(
    nodes.map(({ restUrl }) =>
      fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(RESPONSE_MS) })
        .then(async (response) => ((await response.json()) as { members?: Member[] }).members ?? [])
        .catch(() => []),
    ),
  )
  const known = views.filter(({ length }) => length > 0)
  const counts = Map.groupBy(known, (members) => members.find(({ role }) => role === 'leader')?.name)
  return [...counts.values()].toSorted((a, b) => b.length - a.length)[0]?.[0] ?? []
}
