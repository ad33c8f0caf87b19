import type { AgentLatestEvaluation } from '../../contract/agent-parts.ts'
import type {
  AgentEvaluation,
  EvaluationSeries,
  Metric,
  RecordedEvaluationPage,
} from '../../contract/evaluation.ts'
import { Problem } from '../../contract/problem.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import { auditOrigin } from '../../platform/database/audit-event.ts'
import type { Sessions } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../platform/pagination-cursor.ts'
import { listEvaluations, type Position, readSeries } from './list-store.ts'
import { recordEvaluation } from './store.ts'

interface EvaluationsDeps {
  sql: Sessions
  /** For a chart, which reads all evaluations of an agent. */
  searches: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** Allows for clocks that differ. A time further in the future is a mistake (often milliseconds), and no newer
 * evaluation would replace it. */
const DAY_SECONDS = 86_400

export type Evaluations = ReturnType<typeof createEvaluations>

export function createEvaluations({ sql, searches, now, newId }: EvaluationsDeps) {
  return {
    /** Returns the newest evaluation: this one, unless a newer one is stored. */
    async record(
      caller: Caller,
      id: string,
      report: AgentEvaluation & { current?: unknown },
    ): Promise<AgentLatestEvaluation> {
      // `current` is computed at every read and never stored.
      const { current: _, ...evaluation } = report
      const { teamId, reason } = caller
      const nowSeconds = Math.floor(now() / 1_000)
      const completedAt = evaluation.completed_at ?? nowSeconds
      if (completedAt > nowSeconds + DAY_SECONDS) {
        throw invalid(
          'completed_at',
          'completed_at must be Unix time in seconds, at most one day in the future',
        )
      }
      const result = await recordEvaluation(
        sql.of(teamId),
        teamId,
        id,
        { ...evaluation, completed_at: completedAt },
        { nowSeconds, reason, origin: auditOrigin(caller, newId()) },
      )
      if (!result) throw new Problem('agent_not_found')
      if (!result.has_revision) throw invalid('revision', 'the agent has no such revision')
      if (result.is_too_large || !result.newest) throw new Problem('agent_too_large')
      return result.newest
    },

    async list(
      { teamId }: Caller,
      id: string,
      { limit = 100, cursor }: { limit?: number; cursor?: string },
    ): Promise<RecordedEvaluationPage> {
      const filters = ['evaluations', id]
      const after = decodeCursor(filters, cursor, isPosition) as Position | undefined
      const rows = await listEvaluations(sql.of(teamId), teamId, id, { after, limit: limit + 1 })
      if (!rows) throw new Problem('agent_not_found')
      return toPage(rows, limit, filters, (last) => [last.completed_at, last.revision, last.evaluation_id])
    },

    async series(
      { teamId }: Caller,
      id: string,
      { metric = 'overall_score', since = 0 }: { metric?: Metric; since?: number },
    ): Promise<EvaluationSeries> {
      const series = await readSeries(searches.of(teamId), teamId, id, { metric, since })
      if (!series) throw new Problem('agent_not_found')
      return { metric, ...series }
    },
  }
}

const isPosition = ([completedAt, revision, evaluationId, ...rest]: unknown[]) =>
  [completedAt, revision].every(Number.isSafeInteger) && isCanonicalUuid(evaluationId) && rest.length === 0

function invalid(field: keyof AgentEvaluation, reason: string): RequestValidationError {
  return new RequestValidationError([
    { loc: ['body', field], msg: `Value error, ${reason}`, type: 'value_error' },
  ])
}
