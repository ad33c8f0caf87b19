import { type Static, Type } from 'typebox'
import { ACCESS_LEVELS, AGENT_STATUSES, PROTECTION_STATUSES, PROTOCOLS, TRUST_STAGES } from './agent.ts'
import { oneOf } from './fields.ts'

export const EVALUATION_STATES = ['current', 'outdated', 'none'] as const

/** The console compares each of them with each agent. */
const MAX_TEXTS = 20

const oneOfThese = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(Type.Array(oneOf(values), { description }))

const oneOfTheseTexts = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: MAX_TEXTS,
      description: `${description} At most ${MAX_TEXTS} values of at most 255 characters, compared exactly.`,
    }),
  )

/** The filters of the list, the facets and the export. An agent must match all that are present. */
export const AGENT_FILTERS = {
  statuses: oneOfThese(
    AGENT_STATUSES,
    'Only agents with one of these statuses. Default: every status except `archived`.',
  ),
  trust_stages: oneOfThese(TRUST_STAGES, 'Only agents at one of these trust stages. Default: every stage.'),
  protection_statuses: oneOfThese(
    PROTECTION_STATUSES,
    'Only agents with one of these protection statuses. Default: every status.',
  ),
  access_levels: oneOfThese(
    ACCESS_LEVELS,
    'Only agents with one of these access levels. Default: every level.',
  ),
  protocols: oneOfThese(PROTOCOLS, 'Only agents that speak one of these protocols. Default: every protocol.'),
  model_names: oneOfTheseTexts('Only agents with one of these model names. Default: every model.'),
  hubs: oneOfTheseTexts('Only agents on one of these hubs. Default: every hub.'),
  tags: oneOfTheseTexts(
    'Only agents with at least one of these tags in `agent_metadata.tags`. The first 50 tags of an agent count. ' +
      'Default: ' +
      'agents with any tags or none.',
  ),
  evaluation: oneOfThese(
    EVALUATION_STATES,
    'Only agents whose latest evaluation is in one of these states. `current`: it still holds. `outdated`: a field ' +
      'that ' +
      'affects the behaviour has changed since. `none`: the agent has no evaluation. Default: every state.',
  ),
  min_score: Type.Optional(
    Type.Number({
      description:
        'Only agents whose latest evaluation has an `overall_score` of at least this number, even if it is outdated. ' +
        'Default: agents with any score or none.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Only agents whose name contains this text, ignoring case. At most 255 characters. Default: every name.',
    }),
  ),
}

const AgentFiltersQuery = Type.Object(AGENT_FILTERS)
export type AgentFiltersQuery = Static<typeof AgentFiltersQuery>
