import { Type } from 'typebox'
import type { AgentFunctions } from '../agent-functions.ts'
import type { Confirmations } from '../confirmation.ts'
import { agentUri } from '../long-values.ts'
import { defineTool } from '../tool.ts'
import {
  Cursor,
  cursorOf,
  FieldNames,
  Id,
  Input,
  Limit,
  NextCursor,
  nextCursor,
  normalId,
  RequestId,
} from './inputs.ts'

const DEFAULT_LIMIT = 20

export const listRevisions = (agents: AgentFunctions, confirmations: Confirmations) =>
  defineTool(
    {
      name: 'list_revisions',
      title: 'List revisions',
      description: 'Lists the changes of an agent, newest first: who changed which fields, when and why.',
      permission: 'agent:read',
      effect: 'reads',
      input: Input({ id: Id, limit: Limit(100, DEFAULT_LIMIT), cursor: Cursor }),
      output: Type.Object({
        revisions: Type.Array(
          Type.Object({
            revision: Type.Integer(),
            action: Type.String(),
            changed_at: Type.Integer({ description: 'Unix time.' }),
            fields: FieldNames,
          }),
        ),
        next_cursor: NextCursor,
        request_id: RequestId,
      }),
      run: async ({ id: given, limit = DEFAULT_LIMIT, ...rest }, { caller, withPlace }) => {
        const id = normalId(given)
        const page = await withPlace('reads', undefined, () =>
          agents.listRevisions(caller, id, { limit, ...cursorOf(rest) }),
        )
        return {
          summary: `${page.results.length} revisions of agent ${id}.`,
          data: { revisions: page.results, ...nextCursor(page) },
          uri: agentUri(id),
        }
      },
    },
    confirmations,
  )
