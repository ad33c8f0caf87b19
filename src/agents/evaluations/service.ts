import type { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import type { AgentEvaluation } from '../../contract/evaluation.ts'
import { Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import { recordEvaluation } from './store.ts'

interface EvaluationsDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** Allows for clocks that differ. A time further in the future is a mistake (often milliseconds), and no newer evaluation
 * would replace it. */
const DAY_SECONDS = 86_400

export type Evaluations = ReturnType<typeof createEvaluations>

export function createEvaluations({ sql, now, newId }: EvaluationsDeps) {
  return {
    /** Returns the newest evaluation: this one, unless a newer one is stored. */
    async record(
      caller: Caller,
      id: string,
      report: AgentEvaluation & { current?: unknown },
    ): Promise<AgentLatestEvaluation> {
      // `current` is computed at every read and never stored.
      const { current: _, ...evaluation } = report
      const nowSeconds = Math.floor(now() / 1_000)
      const completedAt = evaluation.completed_at ?? nowSeconds
      if (completedAt > nowSeconds + DAY_SECONDS) {
        throw invalid(
          'completed_at',
          'completed_at must be Unix time in seconds, at most one day in the future',
        )
      }
      const result = await recordEvaluation(
        sql,
        caller.teamId,
        id,
        { ...evaluation, completed_at: completedAt },
        { userId: caller.userId, nowSeconds, eventId: newId(), requestId: caller.requestId },
      )
      if (!result) throw new Problem('agent_not_found')
      if (!result.has_revision) throw invalid('revision', 'the agent has no such revision')
      if (result.is_too_large || !result.newest) throw new Problem('agent_too_large')
      return result.newest
    },
  }
}

function invalid(field: keyof AgentEvaluation, reason: string): RequestValidationError {
  return new RequestValidationError([
    { loc: ['body', field], msg: `Value error, ${reason}`, type: 'value_error' },
  ])
}
