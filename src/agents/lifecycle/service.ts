import { type AgentLifecycle, isTrusted } from '../../contract/lifecycle.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { type AgentText, changeAgent } from '../change-agent.ts'
import { deleteAgent, recoverAgent } from './store.ts'

interface LifecycleDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
  /** How long a deleted agent can be recovered. */
  recoverDays: number
}

const DAY_SECONDS = 86_400

export type Lifecycle = ReturnType<typeof createLifecycle>

export function createLifecycle({ sql, now, newId, recoverDays }: LifecycleDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)
  const moveOf = ({ teamId, userId, requestId }: Caller, id: string) => ({
    ...{ teamId, id, userId, requestId },
    now: nowSeconds(),
    eventId: newId(),
  })

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

    /** Hides the agent. A background task erases it later, or soon if `erase` is true. */
    async delete(
      caller: Caller,
      id: string,
      { erase = false, expectedRevisions }: { erase?: boolean; expectedRevisions: number[] | null },
    ): Promise<void> {
      const move = moveOf(caller, id)
      const outcome = await deleteAgent(sql, {
        ...move,
        expectedRevisions,
        eraseAt: erase ? move.now : move.now + recoverDays * DAY_SECONDS,
        isErasing: erase,
      })
      if (!outcome) throw new Problem('agent_not_found')
      if (outcome === 'stale') throw new Problem('revision_stale')
    },

    async recover(caller: Caller, id: string): Promise<AgentText> {
      const recovered = await recoverAgent(sql, moveOf(caller, id))
      if (!recovered) throw new Problem('agent_not_found')
      return recovered
    },
  }
}

/** Days with two decimals. */
function toDays(seconds: number): number {
  return Math.round(seconds / 864) / 100
}
