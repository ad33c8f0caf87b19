import { type Static, Type } from 'typebox'
import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  Agent,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../agent/schema.ts'
import { described, integer, NextCursor, oneOf, PageCursor, PageLimit, ref, Uuid } from '../../api/fields.ts'
import { headerSchemas, responseHeaders } from '../../api/operation.ts'

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

export const AGENT_SORTS = [
  '-created_at',
  'created_at',
  'agent_name',
  '-agent_name',
  'score',
  '-score',
] as const
export type AgentSort = (typeof AGENT_SORTS)[number]

const AGENT_MEMBERS = Object.keys(Agent.properties) as (keyof Agent)[]

export const AgentListQuery = Type.Object({
  ...AGENT_FILTERS,
  sort: Type.Optional(
    oneOf(AGENT_SORTS, {
      default: '-created_at',
      description:
        'Order of the results. `-` means descending. Default: `-created_at`, newest first. Names are compared byte ' +
        'by byte. `score`: the `overall_score` of the latest evaluation; an agent without one counts as lower than ' +
        'every score.',
    }),
  ),
  limit: Type.Optional(
    described(
      PageLimit,
      'Maximum number of agents in the page, 1 to 500. Default: 100. A page of large agents may end earlier, ' +
        'because a ' +
        'page holds at most 2 MiB.',
    ),
  ),
  cursor: Type.Optional({ ...PageCursor, maxLength: 4_096 }),
  fields: Type.Optional(
    Type.Array(oneOf(AGENT_MEMBERS), {
      description:
        'Members of Agent that each result contains, in the order of Agent; `id` is always one of them. The others ' +
        'are absent, even if Agent requires them. `latest_evaluation` is there only with `include_scores=true`. ' +
        'Default: all.',
    }),
  ),
  include_scores: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: each agent contains `latest_evaluation`. Default: false.',
    }),
  ),
  include_count: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: the page contains `count`. Counting a large team takes longer. Default: false.',
    }),
  ),
})
export type AgentListQuery = Static<typeof AgentListQuery>

export const AgentPage = Type.Object(
  {
    results: Type.Array(ref(Agent), {
      description:
        'Agents in the order of `sort`, with masked secrets. With `fields`, each has only those members.',
    }),
    revisions: Type.Array(integer({ minimum: 1 }), {
      description:
        'Revisions of the agents, in the order of `results`. Send the revision of an agent as `If-Match` to update ' +
        'it without reading it first.',
    }),
    next_cursor: NextCursor,
    count: Type.Optional(
      integer({ description: 'Number of agents in all pages. Present only with `include_count=true`.' }),
    ),
  },
  { $id: 'AgentPage', description: 'A page of agents.' },
)
export type AgentPage = Static<typeof AgentPage>

/** A pattern. Spreadsheets take text that starts like this for a formula, in Japanese and Chinese versions also
 * the wide forms. In CSV such a text has an apostrophe in front, and so has one that starts with an apostrophe. */
export const FORMULA_STARTS = "[=+\\-@\\t\\r\\n'＝＋－＠]"

export const AgentExportQuery = Type.Object({
  ...AGENT_FILTERS,
  format: Type.Optional(
    oneOf(['ndjson', 'csv'], {
      default: 'ndjson',
      description:
        '`ndjson`: one JSON object in each line. `csv`: one line for each agent, after a line with the names of ' +
        'the columns. Default: `ndjson`.',
    }),
  ),
  cursor: Type.Optional(
    described(
      Uuid,
      'Continue after this agent: the `id` in the last complete line that was received. The response has no line ' +
        'with column ' +
        'names. Default: start with the oldest agent.',
    ),
  ),
})
export type AgentExportQuery = Static<typeof AgentExportQuery>

export const agentExportResponse = {
  description:
    'Agents, oldest first, without secrets. A response that breaks off without its final chunk is not complete.',
  headers: headerSchemas(responseHeaders('cache-control')),
  content: {
    'application/x-ndjson': { schema: Type.Unsafe({ $ref: 'ExportedAgent#' }), examples: {} },
    'text/csv': {
      schema: Type.String({ description: 'Comma-separated values (RFC 4180). A nested field is JSON.' }),
      examples: {},
    },
  },
}
