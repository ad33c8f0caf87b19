import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { DryRunQuery } from '../contract/dry-run.ts'
import { ref } from '../contract/fields.ts'
import {
  AgentImportResult,
  IMPORT_CONTENT,
  ImportIdempotencyKey,
  MAX_IMPORT_BYTES,
} from '../contract/imports.ts'
import { featureOperation, writeErrors } from '../contract/operation.ts'
import { jsonResponse } from '../contract/responses.ts'
import { disconnectSignal } from '../platform/response-end.ts'
import type { Imports } from './service.ts'

export const IMPORTS_PATH = '/v1/agent-imports'

export const importRoutes: FastifyPluginAsyncTypebox<{ imports: Imports }> = async (app, { imports }) => {
  app.post(
    IMPORTS_PATH,
    {
      config: { permission: 'agent:write', readsBody: true },
      bodyLimit: MAX_IMPORT_BYTES,
      schema: {
        operationId: 'importAgentConfigurations',
        summary: 'Import Agent Configurations',
        description:
          'Creates and updates 1 to 1,000 agents: rows in JSON, JSON Lines or CSV, such as an export, or an A2A ' +
          'agent card. The external key of a row says which agent it is: a key that the team has not imported ' +
          'before makes a new agent. Each row is applied by itself, with its own revision and event: the ' +
          'response has a result for each, in order, and its status is 200 even if all of them failed. Send ' +
          '`dry_run=true` first to see what would change, and then the `revision` of each result as ' +
          '`expected_revision` of its row: an agent that someone has changed in between is left alone. Send ' +
          '`Idempotency-Key` to make a repetition safe, such as after a lost connection. A body has up to 4 MiB. ' +
          'The response contains no values, also none of `api_key`. After 25 seconds the remaining rows fail as ' +
          '`overloaded`, unchanged: a repetition with the same key continues with them.',
        ...featureOperation('Imports'),
        querystring: DryRunQuery,
        headers: Type.Object({ ...ImportIdempotencyKey.properties }),
        body: { content: IMPORT_CONTENT },
        response: {
          200: jsonResponse('A result for each row.', ref(AgentImportResult)),
          ...writeErrors('idempotency_conflict'),
        },
      },
    },
    async ({ caller, query, headers, bodyBytes, raw, log }, reply) => {
      const body = { contentType: raw.headers['content-type'], bytes: bodyBytes }
      return imports(caller, body, {
        isDryRun: query.dry_run ?? false,
        idempotencyKey: headers['idempotency-key'],
        signal: disconnectSignal(reply.raw),
        log,
      })
    },
  )
}
