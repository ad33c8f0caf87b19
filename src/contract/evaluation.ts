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
