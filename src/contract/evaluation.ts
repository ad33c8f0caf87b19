import { type Static, Type } from 'typebox'
import { EVALUATION_SCORES } from './agent-parts.ts'
import { integer, nullable, UnixSeconds, Uuid } from './fields.ts'

export const AgentEvaluation = Type.Object(
  {
    evaluation_id: Uuid,
    ...EVALUATION_SCORES,
    completed_at: Type.Optional(
      nullable({ ...UnixSeconds, description: 'Unix time in seconds, at most a day ahead; now when absent' }),
    ),
    revision: integer({ minimum: 1, description: 'The revision of the agent that was evaluated' }),
  },
  {
    $id: 'AgentEvaluation',
    description:
      'A completed evaluation. Unknown members are kept as they came, but for `current`, which the console says.',
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

/** How one agent may be read. */
export const AgentRead = Type.Object({
  revision: Type.Optional(integer({ minimum: 1, description: 'Read the agent as it was at this revision' })),
  include_scores: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Adds `latest_evaluation`, the newest one whatever the revision. If-None-Match then has no effect: a new ' +
        'evaluation is no revision.',
    }),
  ),
})
