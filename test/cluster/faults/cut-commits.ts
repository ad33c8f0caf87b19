import { until } from '../../support/until.ts'
import type { CommitCutter } from '../commit-cutter.ts'
import type { Fault } from '../fault.ts'

const PATIENCE_MS = 1_200_000

/** Connections of the APIs to PostgreSQL break right after a COMMIT was sent. */
export function cutCommits(cutter: CommitCutter, count: number): Fault {
  return {
    name: 'connection cut after COMMIT',
    times: 1,
    count,
    inflict: async () => {
      cutter.cut(count)
      await until(`${count} connections are cut`, () => cutter.left() === 0, PATIENCE_MS)
    },
  }
}
