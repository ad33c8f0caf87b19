import { type AgentLifecycle, isTrusted } from '../../contract/lifecycle.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { type AgentText, changeAgent } from '../change-agent.ts'
import { deleteAgent } from './store.ts'

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
    async changeTrustStage(
      caller: Caller,
      id: string,
      { trust_stage: trustStage, reason = null }: AgentLifecycle,
      expectedRevisions: number[] | null,
    ): Promise<AgentText> {
      const request = { caller, id, expectedRevisions, now: nowSeconds(), auditId: newId() }
      return changeAgent(sql, request, ({ agent, changedAt }) => {
        if (agent.trust_stage === trustStage) return undefined
        // Only the first change to a trusted stage sets `trusted_at` and `ttt_days`.
        const isFirstTrusted = isTrusted(trustStage) && agent.trusted_at === null
        const columns = {
          trust_stage: trustStage,
          ...(isFirstTrusted && { trusted_at: changedAt, ttt_days: toDays(changedAt - agent.created_at) }),
        }
        return {
          action: 'trust_stage_changed',
          reason,
          columns,
          fields: Object.keys(columns),
          before: {
            trust_stage: agent.trust_stage,
            ...(isFirstTrusted && { trusted_at: null, ttt_days: null }),
          },
        }
      })
    },

    async delete(caller: Caller, id: string, expectedRevisions: number[] | null): Promise<void> {
      const outcome = await deleteAgent(sql, caller.teamId, id, {
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

/** Days with two decimals. */
function toDays(seconds: number): number {
  return Math.round(seconds / 864) / 100
}
