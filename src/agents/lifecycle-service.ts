import { type AgentLifecycle, isTrusted } from '../contract/lifecycle.ts'
import { Problem } from '../contract/problem.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import { eraseAgent, moveTrustStage } from './lifecycle-store.ts'
import { type AgentAt, present } from './present.ts'

interface LifecycleDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Lifecycle = ReturnType<typeof createLifecycle>

export function createLifecycle({ sql, now, newId }: LifecycleDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)

  return {
    async move(
      caller: Caller,
      id: string,
      { trust_stage: trustStage, reason = null }: AgentLifecycle,
      expectedRevisions: number[] | null,
    ): Promise<AgentAt> {
      const result = await moveTrustStage(sql, caller.teamId, id, {
        expectedRevisions,
        now: nowSeconds(),
        changedBy: caller.userId,
        eventId: newId(),
        requestId: caller.requestId,
        trustStage,
        isTrusted: isTrusted(trustStage),
        reason,
      })
      if (!result) throw new Problem('agent_not_found')
      const { outcome, ...row } = result
      if (outcome === 'stale') throw new Problem('revision_stale')
      return present(row)
    },

    async erase(caller: Caller, id: string, expectedRevisions: number[] | null): Promise<void> {
      const outcome = await eraseAgent(sql, caller.teamId, id, {
        expectedRevisions,
        now: nowSeconds(),
        changedBy: caller.userId,
        eventId: newId(),
        requestId: caller.requestId,
      })
      if (!outcome) throw new Problem('agent_not_found')
      if (outcome === 'stale') throw new Problem('revision_stale')
    },
  }
}
