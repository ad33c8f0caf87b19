import { type Static, Type } from 'typebox'
import { EVALUATED_REVISION, EVALUATION_FIELDS } from './agent-parts.ts'
import { described, integer, nullable, UnixSeconds } from './fields.ts'

export const AgentEvaluation = Type.Object(
  {
    ...EVALUATION_FIELDS,
    completed_at: Type.Optional(
      nullable(
        described(
          UnixSeconds,
          'End of the evaluation, Unix time in seconds, at most one day in the future. Default: the current time.',
        ),
      ),
    ),
    revision: integer({ minimum: 1, description: EVALUATED_REVISION }),
  },
  {
    $id: 'AgentEvaluation',
    description:
      'A completed evaluation. The console stores unknown fields unchanged, except `current`, which it computes itself.',
    additionalProperties: true,
    examples: [
      {
        evaluation_id: '5b1f0c7e-2d3a-4c8b-9e6f-7a8b9c0d1e2f',
        overall_score: 0.91,
        security_score: 0.88,
        completed_at: 1_735_347_760,
        revision: 2,
      },
    ],
  },
)
export type AgentEvaluation = Static<typeof AgentEvaluation>

/** The query parameters of a read of one agent. */
export const AgentReadQuery = Type.Object({
  revision: Type.Optional(
    integer({
      minimum: 1,
      description: 'Return the agent as it was at this revision. Default: the current revision.',
    }),
  ),
  include_scores: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: the agent contains `latest_evaluation`: always the newest evaluation, also with `revision`. If-None-Match then ' +
        'has no effect, because a new evaluation does not change the revision. Default: false.',
    }),
  ),
})
