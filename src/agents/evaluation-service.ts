import type { AgentLatestEvaluation } from '../contract/agent-parts.ts'
import type { AgentEvaluation } from '../contract/evaluation.ts'
import { Problem } from '../contract/problem.ts'
import { RequestInvalid } from '../contract/validation-error.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import { recordEvaluation } from './evaluation-store.ts'
import { presentEvaluation } from './present.ts'

interface EvaluationsDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

export type Evaluations = ReturnType<typeof createEvaluations>

export function createEvaluations({ sql, now, newId }: EvaluationsDeps) {
  return {
    /** Answers the newest evaluation, which is this one unless a newer was there. */
    async record(
      caller: Caller,
      id: string,
      report: AgentEvaluation & { current?: unknown },
    ): Promise<AgentLatestEvaluation> {
      const { current: _, ...evaluation } = report
      const nowSeconds = Math.floor(now() / 1_000)
      const result = await recordEvaluation(
        sql,
        caller.teamId,
        id,
        { ...evaluation, completed_at: evaluation.completed_at ?? nowSeconds },
        { userId: caller.userId, now: nowSeconds, eventId: newId(), requestId: caller.requestId },
      )
      if (!result) throw new Problem('agent_not_found')
      const newest = presentEvaluation(result)
      if (result.has_revision && newest) return newest
      throw new RequestInvalid([
        {
          loc: ['body', 'revision'],
          msg: 'Value error, the agent has no such revision',
          type: 'value_error',
        },
      ])
    },
  }
}
