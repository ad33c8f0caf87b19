import { type Static, Type } from 'typebox'
import { AGENT_FILTERS } from './agent-filters.ts'
import { integer } from './fields.ts'

export const AgentFacetsQuery = Type.Object(AGENT_FILTERS)
export type AgentFacetsQuery = Static<typeof AgentFacetsQuery>

const counts = (description: string) =>
  Type.Array(
    Type.Object({
      value: Type.String({ description: 'A value of the field.' }),
      count: integer({ minimum: 0, description: 'Number of agents that have it.' }),
    }),
    { description },
  )

/** At most so many models and tags. */
export const MAX_FACET_VALUES = 50

const EVERY_VALUE = 'Every value, also those without agents.'
const MOST_FREQUENT = `The ${MAX_FACET_VALUES} most frequent values, most frequent first.`

export const AgentFacets = Type.Object(
  {
    count: integer({ minimum: 0, description: 'Number of agents that match all filters.' }),
    approximate: Type.Boolean({
      description:
        'false: all counts are exact. true: the team has more than 100,000 agents, and the counts cover the newest ' +
        '100,000 of them only. The real numbers are greater or equal.',
    }),
    facets: Type.Object(
      {
        statuses: counts(`By status. ${EVERY_VALUE}`),
        trust_stages: counts(`By trust stage. ${EVERY_VALUE}`),
        protection_statuses: counts(`By protection status. ${EVERY_VALUE}`),
        access_levels: counts(`By access level. ${EVERY_VALUE}`),
        protocols: counts(`By protocol. ${EVERY_VALUE}`),
        evaluation: counts(`By state of the latest evaluation. ${EVERY_VALUE}`),
        model_names: counts(`By model name. ${MOST_FREQUENT}`),
        tags: counts(`By tag; of an agent the first 50 tags. ${MOST_FREQUENT}`),
      },
      {
        description:
          'The counts of each facet. A facet ignores the filter of the same name, so that it shows what another ' +
          'choice would give.',
      },
    ),
  },
  {
    $id: 'AgentFacets',
    description: 'How many agents have each value of a field.',
  },
)
export type AgentFacets = Static<typeof AgentFacets>
