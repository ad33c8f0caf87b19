import type { Statements } from '../platform/database/database.ts'

/** One kind of background work. It must be safe to stop at any moment, and to start again in another process. */
export interface Step {
  /** The label `task` of the metrics. */
  name: string
  intervalMs: number
  /** Does one bounded part of the work. Returns whether there is more to do. */
  run: (sql: Statements, nowSeconds: number) => Promise<boolean>
  /** Each statement commits by itself: for a statement whose lock must not last until this process sends COMMIT. Such a
   * step runs without the lock of the leader, so its statements must take a lock of their own. */
  commitsEachStatement?: boolean
}
