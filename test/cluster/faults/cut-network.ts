import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { Fault } from '../fault.ts'
import type { PatroniNode } from '../patroni.ts'
import type { PostgresCluster } from '../postgres-cluster.ts'
import { anotherLeads } from './kill-leader.ts'

const REPLACEMENT_MS = 120_000
const STANDBY_ABSENCE_MS = 5_000

/** The network of one machine is cut: in turn that of the primary, the synchronous standby and the other standby. Each
 * runs PostgreSQL, Patroni and a member of etcd. It joins again when another node has its role. */
export function cutNetwork(postgres: PostgresCluster, times: number): Fault {
  return {
    name: 'network of one node cut',
    times,
    inflict: async (n) => {
      const { leader, synchronous, other } = await postgres.whole()
      const node = [leader, synchronous, other][n % 3] as PatroniNode
      await node.machine.cut()
      try {
        if (node === leader) await anotherLeads(postgres, node)
        else if (node === synchronous) await isReplaced(postgres, node.name)
        else await sleep(STANDBY_ABSENCE_MS)
      } finally {
        await node.machine.join()
      }
      await postgres.whole()
    },
  }
}

function isReplaced(postgres: PostgresCluster, name: string): Promise<void> {
  const isSo = async () => {
    const { synchronous } = await postgres.roles()
    return synchronous !== undefined && synchronous.name !== name
  }
  return until('another standby is synchronous', isSo, REPLACEMENT_MS)
}
