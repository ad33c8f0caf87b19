import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ref } from '../contract/fields.ts'
import {
  AgentImportQuery,
  AgentImportResult,
  IMPORT_CONTENT,
  ImportIdempotencyKey,
  MAX_IMPORT_BYTES,
} from '../contract/imports.ts'
import { AGENT_OPERATION, writeErrors } from '../contract/operation.ts'
import { jsonResponse } from '../contract/responses.ts'
import { disconnectSignal } from '../platform/response-end.ts'
import type { Imports } from './service.ts'

export const IMPORTS_PATH = '/v1/agent-imports'

export const importRoutes: FastifyPluginAsyncTypebox<{ imports: Imports }> = async (app, { imports }) => {
  app.post(
    IMPORTS_PATH,
    {
      // Without a lane: each row takes a place at the database by itself.
      config: { permission: 'agent:write', readsBody: true },
      bodyLimit: MAX_IMPORT_BYTES,
      schema: {
        operationId: 'importAgentConfigurations',
        summary: 'Import Agent Configurations',
        description:
          'Creates and updates 1 to 1,000 agents: rows in JSON, JSON Lines, CSV or YAML, such as an export, or an A2A agent card or an AI ' +
          'Catalog. The external key of a row says which agent it is: a key that the team has not imported before makes a new agent. ' +
          'Each row is applied by itself, with its own revision and event: the response has a result for each, in order, and its ' +
          'status is 200 even if all of them failed. Send `dry_run=true` first to see what would change, and then its `plan` to apply ' +
          'just that: an agent that someone has changed in between is left alone. Send `Idempotency-Key` to make a repetition safe, ' +
          'such as after a lost connection. A body has up to 4 MiB, in YAML 1 MiB. The response contains no values, also none of ' +
          '`api_key`. A team has one import in progress at a time; another one gets 429. After 25 seconds the remaining rows fail as ' +
          '`overloaded`, unchanged: a repetition with the same key continues with them.',
        ...AGENT_OPERATION,
        querystring: AgentImportQuery,
        headers: Type.Object({ ...ImportIdempotencyKey.properties }),
        body: { content: IMPORT_CONTENT },
        response: {
          200: jsonResponse('A result for each row.', ref(AgentImportResult)),
          ...writeErrors('idempotency_conflict', 'plan_not_valid'),
        },
      },
    },
    async ({ caller, query, headers, bodyBytes, raw, log }, reply) => {
      const body = { contentType: raw.headers['content-type'], bytes: bodyBytes }
      const idempotencyKey = headers['idempotency-key']
      return imports(caller, body, { ...query, idempotencyKey, signal: disconnectSignal(reply.raw), log })
    },
  )
}
