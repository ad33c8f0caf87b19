import { type Static, Type } from 'typebox'
import {
  described,
  integer,
  NextCursor,
  nullable,
  oneOf,
  optionalNullable,
  PageCursor,
  PageLimit,
  ref,
  UnixSeconds,
  Uuid,
} from '../../api/fields.ts'
import { BEHAVIOUR_FIELDS } from '../fields.ts'

const score = (subject: string) =>
  Type.Number({ description: `${subject} The evaluation service defines the scale.` })

const SCORES = {
  overall_score: score('Overall score.'),
  reliability_score: score('Reliability score.'),
  security_score: score('Security score.'),
  safety_score: score('Safety score.'),
}

const EVALUATION_ID = described(Uuid, 'Id of the evaluation in the evaluation service.')

/** The fields that a recorded evaluation and the latest evaluation share. */
const EVALUATION_FIELDS = { evaluation_id: EVALUATION_ID, ...optionalNullable(SCORES) }

const EVALUATED_REVISION = 'The revision of the agent that was evaluated.'

const IS_CURRENT =
  'true: no field that affects the behaviour of the agent has changed since the evaluated revision.'

export const AgentLatestEvaluation = Type.Object(
  {
    ...EVALUATION_FIELDS,
    ...optionalNullable({
      completed_at: described(UnixSeconds, 'End of the evaluation, Unix time in seconds.'),
      revision: integer({ description: EVALUATED_REVISION }),
    }),
    current: Type.Optional(
      nullable(
        Type.Boolean({
          description: `${IS_CURRENT} These fields are ${BEHAVIOUR_FIELDS.join(', ')}.`,
        }),
      ),
    ),
  },
  {
    $id: 'AgentLatestEvaluation',
    description: 'Scores of the latest completed evaluation.',
    additionalProperties: true,
  },
)
export type AgentLatestEvaluation = Static<typeof AgentLatestEvaluation>

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
      'A completed evaluation. The console stores unknown fields unchanged, except `current`, which it computes ' +
      'itself.',
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

const EVALUATION = {
  evaluation_id: EVALUATION_ID,
  completed_at: described(UnixSeconds, 'End of the evaluation, Unix time in seconds.'),
  revision: integer({ minimum: 1, description: EVALUATED_REVISION }),
}

export const RecordedEvaluation = Type.Object(
  {
    ...EVALUATION,
    overall_score: nullable(SCORES.overall_score),
    reliability_score: nullable(SCORES.reliability_score),
    security_score: nullable(SCORES.security_score),
    safety_score: nullable(SCORES.safety_score),
    current: Type.Boolean({ description: IS_CURRENT }),
    outdated_by: Type.Array(Type.String(), {
      description:
        'Names of the fields that affect the behaviour of the agent and have changed since the evaluated revision. ' +
        'Empty if the evaluation is current. Changes are searched in the 1,000 revisions up to the last one of ' +
        'them.',
    }),
  },
  {
    $id: 'RecordedEvaluation',
    description:
      'An evaluation in the list of an agent. Unknown fields of the report are not listed; the evaluation service ' +
      'has them.',
  },
)
export type RecordedEvaluation = Static<typeof RecordedEvaluation>

export const RecordedEvaluationPage = Type.Object(
  {
    results: Type.Array(ref(RecordedEvaluation), {
      description: 'Evaluations, the last completed one first.',
    }),
    next_cursor: NextCursor,
  },
  { $id: 'RecordedEvaluationPage', description: 'A page of evaluations.' },
)
export type RecordedEvaluationPage = Static<typeof RecordedEvaluationPage>

export const EvaluationPageQuery = Type.Object({
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(PageCursor),
})

const METRICS = Object.keys(SCORES) as (keyof typeof SCORES)[]
export type Metric = (typeof METRICS)[number]

export const MAX_SERIES_POINTS = 500

export const EvaluationSeries = Type.Object(
  {
    metric: oneOf(METRICS, { description: 'The score in `value`.' }),
    count: integer({ minimum: 0, description: 'Number of evaluations with this score since `since`.' }),
    points: Type.Array(Type.Object({ ...EVALUATION, value: Type.Number({ description: 'The score.' }) }), {
      description:
        'The scores, the first completed one first. If there are more than 500, the first and the last one, and ' +
        'the lowest and the highest one of each of 249 equal spans of time: at most 500 in all.',
    }),
  },
  {
    $id: 'EvaluationSeries',
    description: 'One score of an agent over time, for a chart.',
    examples: [
      {
        metric: 'overall_score',
        count: 1,
        points: [
          {
            evaluation_id: '5b1f0c7e-2d3a-4c8b-9e6f-7a8b9c0d1e2f',
            completed_at: 1_735_347_760,
            revision: 2,
            value: 0.91,
          },
        ],
      },
    ],
  },
)
export type EvaluationSeries = Static<typeof EvaluationSeries>

export const EvaluationSeriesQuery = Type.Object({
  metric: Type.Optional(
    oneOf(METRICS, { default: 'overall_score', description: 'The score. Default: `overall_score`.' }),
  ),
  since: Type.Optional(
    described(
      UnixSeconds,
      'Return only evaluations completed at this time or later, Unix time in seconds. Default: all.',
    ),
  ),
})

export const EVALUATION_SCHEMAS = [
  AgentEvaluation,
  RecordedEvaluation,
  RecordedEvaluationPage,
  EvaluationSeries,
]
