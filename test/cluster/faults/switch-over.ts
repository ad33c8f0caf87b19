import type { Fault } from '../fault.ts'
import type { PostgresCluster } from '../postgres-cluster.ts'

/** An operator moves the primary. */
export function switchOver(postgres: PostgresCluster, times: number): Fault {
  return {
    name: 'switchover of PostgreSQL',
    times,
    inflict: async () => {
      await postgres.switchOver()
      await postgres.whole()
    },
  }
}
