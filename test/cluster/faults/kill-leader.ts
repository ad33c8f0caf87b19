import { until } from '../../support/until.ts'
import type { Fault } from '../fault.ts'
import type { PatroniNode } from '../patroni.ts'
import type { PostgresCluster } from '../postgres-cluster.ts'

const ELECTION_MS = 120_000

/** The machine of the primary crashes. It comes back when another node leads. */
export function killLeader(postgres: PostgresCluster, times: number): Fault {
  return {
    name: 'leader of PostgreSQL killed',
    times,
    inflict: async () => {
      const { leader } = await postgres.whole()
      await leader.kill()
      await anotherLeads(postgres, leader)
      await leader.start()
      await postgres.whole()
    },
  }
}

export function anotherLeads(postgres: PostgresCluster, former: PatroniNode): Promise<void> {
  const isSo = async () => {
    const { leader } = await postgres.roles()
    return leader !== undefined && leader !== former
  }
  return until('another node leads', isSo, ELECTION_MS)
}
