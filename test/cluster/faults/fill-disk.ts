import { setTimeout as sleep } from 'node:timers/promises'
import { onServer } from '../../support/on-server.ts'
import { until } from '../../support/until.ts'
import type { Fault } from '../fault.ts'
import type { History, Try } from '../history.ts'
import type { PostgresCluster } from '../postgres-cluster.ts'

const EFFECT_MS = 120_000
const STEP_MS = 200

/** The disk of the primary has no space, until clients notice it. */
export function fillDisk(postgres: PostgresCluster, history: History, times: number): Fault {
  return {
    name: 'disk of the leader full',
    times,
    inflict: async () => {
      const { leader } = await postgres.whole()
      const filledAt = performance.now()
      await leader.disk.fill()
      try {
        await until(
          'a change is refused',
          async () => {
            await useSpace(postgres.url)
            return (history.tries.findLast(isRefused)?.endedAt ?? 0) > filledAt
          },
          EFFECT_MS,
        )
      } finally {
        await leader.disk.free()
      }
      // Patroni may have ended as well.
      await leader.start()
      await postgres.whole()
    },
  }
}

const isRefused = ({ code }: Try) => code === 'database_unavailable' || code === 'outcome_unknown'

/** Each switch needs the space of a new segment of the write-ahead log, once no old one is left to use again. */
async function useSpace(url: string): Promise<void> {
  await onServer(url, (server) => server.query('SELECT pg_switch_wal()')).catch(() => {})
  await sleep(STEP_MS)
}
