import { type Static, Type } from 'typebox'
import { Agent } from './agent.ts'
import { AGENT_FILTERS } from './agent-filters.ts'
import { described, integer, oneOf, Uuid } from './fields.ts'
import { headerSchemas, responseHeaders } from './responses.ts'

/** The format of an export, in each of its lines. Another format gets another number. */
export const EXPORT_FORMAT = 'console-agent/1'

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

const { api_key: _, ...MEMBERS } = Agent.properties

export const ExportedAgent = Type.Object(
  {
    format: oneOf([EXPORT_FORMAT], { description: 'The format of the line.' }),
    revision: integer({ minimum: 1, description: 'The revision of the agent.' }),
    ...MEMBERS,
  },
  {
    $id: 'ExportedAgent',
    description: 'An agent in an export: without `api_key` and `white_box_config.github_token`.',
  },
)

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
