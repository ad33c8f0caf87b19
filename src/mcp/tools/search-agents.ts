import { Type } from 'typebox'
import { AGENT_FILTERS } from '../../contract/agent-filters.ts'
import { oneOf } from '../../contract/fields.ts'
import type { AgentListQuery, AgentPage } from '../../contract/list.ts'
import { AGENT_SORTS } from '../../contract/list.ts'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { agentUri } from '../long-values.ts'
import { briefSchema } from '../schema.ts'
import { defineTool } from '../tool.ts'
import { Cursor, Input, Limit, NextCursor, nextCursor, RequestId } from './inputs.ts'

const DEFAULT_LIMIT = 20

/** The names of most filters say enough. */
const filter = (name: keyof typeof AGENT_FILTERS, description?: string) =>
  Type.Optional(briefSchema({ ...AGENT_FILTERS[name], description }))

const SearchInput = Input({
  q: filter('q', 'Part of the name.'),
  statuses: filter('statuses'),
  trust_stages: filter('trust_stages'),
  protection_statuses: filter('protection_statuses'),
  model_names: filter('model_names'),
  tags: filter('tags'),
  evaluation: filter('evaluation', 'State of the latest evaluation.'),
  min_score: filter('min_score'),
  sort: Type.Optional(oneOf(AGENT_SORTS, { description: 'Default: -created_at, newest first.' })),
  limit: Limit(50, DEFAULT_LIMIT),
  cursor: Cursor,
})

const SHOWN = [
  ...(['id', 'agent_name', 'model_name', 'status', 'trust_stage', 'protection_status'] as const),
  ...(['updated_at', 'latest_evaluation'] as const),
]

export const searchAgents = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'search_agents',
      title: 'Search agents',
      description:
        'Finds agents of the team by name, status, model, tags or score. Returns a summary of each; get_agent has the rest. Archived ' +
        'agents appear only if statuses names them.',
      permission: 'agent:read',
      effect: 'reads',
      input: SearchInput,
      output: Type.Object({
        agents: Type.Array(
          Type.Object({
            id: Type.String(),
            revision: Type.Integer(),
            score: Type.Optional(Type.Number()),
            score_is_current: Type.Optional(Type.Boolean()),
          }),
        ),
        next_cursor: NextCursor,
        request_id: RequestId,
      }),
      run: async (args, { caller, withPlace }) => {
        const query = {
          ...{ limit: DEFAULT_LIMIT, ...(args as AgentListQuery) },
          ...{ fields: [...SHOWN], include_scores: true },
        }
        const lane = agents.laneOfList(query)
        const json = await withPlace(lane, undefined, () => agents.list(caller, query))
        const page = JSON.parse(json.toString()) as AgentPage
        const found = page.results.map(({ latest_evaluation: evaluation, ...agent }, index) => ({
          ...agent,
          revision: page.revisions[index],
          ...(evaluation?.overall_score != null && { score: evaluation.overall_score }),
          ...(evaluation?.current != null && { score_is_current: evaluation.current }),
        }))
        const uris = found.map(({ id }) => agentUri(id)).join(', ')
        return {
          summary: found.length === 0 ? 'No agent matches.' : `Agents found: ${found.length}. ${uris}`,
          data: { agents: found, ...nextCursor(page) },
        }
      },
    },
    confirmations,
  )
