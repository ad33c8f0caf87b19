import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../../api/caller.ts'
import { ref } from '../../api/fields.ts'
import { jsonResponse, readErrors, writeErrors } from '../../api/operation.ts'
import { decodeCursor, isCanonicalUuid, toPage } from '../../api/pages.ts'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import type { Sessions } from '../../platform/postgres/database.ts'
import { auditOrigin } from '../audit-event.ts'
import { operation } from '../compare.ts'
import { AgentId } from '../schema.ts'
import { listEvaluations, type Position, readSeries, recordEvaluation } from './queries.ts'
import {
  AgentEvaluation,
  AgentLatestEvaluation,
  EvaluationPageQuery,
  EvaluationSeries,
  EvaluationSeriesQuery,
  type Metric,
  RecordedEvaluationPage,
} from './schema.ts'

export const evaluationRoutes: FastifyPluginAsyncTypebox<{ evaluations: Evaluations }> = async (
  app,
  { evaluations },
) => {
  app.put(
    '/v1/agent-configurations/:id/latest-evaluation',
    operation('Agent Evaluations', 'evaluation:write', {
      operationId: 'recordAgentEvaluation',
      summary: 'Record Agent Evaluation',
      description:
        'Stores the result of a completed evaluation of a revision of the agent. The list of evaluations keeps the ' +
        '10,000 that were completed last. The latest of them, which the response shows, is the one with the latest ' +
        '`completed_at`. The same `evaluation_id` again corrects the stored evaluation, unless it is older than ' +
        'that. This makes no new revision.',
      params: AgentId,
      body: ref(AgentEvaluation),
      response: {
        200: jsonResponse('The latest evaluation, and whether it is current.', ref(AgentLatestEvaluation)),
        ...writeErrors('agent_not_found', 'agent_too_large'),
      },
    }),
    ({ caller, params, body }) => evaluations.record(caller, params.id, body),
  )

  app.get(
    '/v1/agent-configurations/:id/evaluations',
    operation('Agent Evaluations', 'agent:read', {
      operationId: 'listAgentEvaluations',
      summary: 'List Agent Evaluations',
      description:
        'Returns the evaluations of the agent, the last completed one first: their scores, the revision that was ' +
        'evaluated, whether each is current, and the fields that outdated it. At most 10,000 are kept for an agent.',
      params: AgentId,
      querystring: EvaluationPageQuery,
      response: {
        200: jsonResponse('A page of evaluations.', ref(RecordedEvaluationPage)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => evaluations.list(caller, params.id, query),
  )

  app.get(
    '/v1/agent-configurations/:id/evaluations/series',
    operation('Agent Evaluations', 'agent:read', {
      operationId: 'getAgentEvaluationSeries',
      summary: 'Get Agent Evaluation Series',
      description:
        'Returns one score of the agent over time, for a chart, in at most 500 points. A longer series keeps its ' +
        'first and last point, and the lowest and the highest of each span of time.',
      params: AgentId,
      querystring: EvaluationSeriesQuery,
      response: {
        200: jsonResponse('The scores over time.', ref(EvaluationSeries)),
        ...readErrors('agent_not_found'),
      },
    }),
    ({ caller, params, query }) => evaluations.series(caller, params.id, query),
  )
}

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
