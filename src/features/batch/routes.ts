import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { setIgnoredFieldsHeader } from '../../agent/compare.ts'
import { RefuseIfDependents } from '../../agent/dependents.ts'
import { AgentUpdate } from '../../agent/schema.ts'
import { ref } from '../../api/fields.ts'
import { headerList } from '../../api/headers.ts'
import { DryRunQuery, jsonResponse, operation, responseHeaders, writeErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { disconnectSignal } from '../../platform/responses.ts'
import { bulkChange } from './bulk.ts'
import { AgentBulk, AgentBulkResult, BULK_PERMISSIONS, BulkIdempotencyKey } from './bulk-schema.ts'
import {
  AgentImportResult,
  AgentImportRow,
  IMPORT_CONTENT,
  ImportIdempotencyKey,
  ImportRequestBody,
  MAX_IMPORT_BYTES,
} from './import-schema.ts'
import { importAgents } from './imports.ts'
import type { BatchOptions } from './run-batch.ts'

const BULK_PATH = '/v1/agent-configurations/bulk'
const IMPORTS_PATH = '/v1/agent-imports'

const permissions = Object.entries(BULK_PERMISSIONS)
  .map(([action, permission]) => `\`${action}\` needs the permission \`${permission}\` too.`)
  .join(' ')

export const batchRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const validation = { body: app.validateParts(ImportRequestBody), rows: app.validateParts(AgentImportRow) }
  const recordRefusalOf =
    (route: string): BatchOptions['recordRefusal'] =>
    (caller, permission, agentId) =>
      app.recordRefusal({ caller, permission, agentId, method: 'POST', route })

  app.post(
    BULK_PATH,
    operation('Agents', 'agent:read', {
      operationId: 'bulkChangeAgentConfigurations',
      summary: 'Bulk Change Agent Configurations',
      description:
        'Updates, moves to another trust stage or deletes 1 to 500 agents: those of a list of ids, or those ' +
        'that match filters. Each agent changes by itself, with its own revision and event, or fails by ' +
        'itself: the response has a result for each, in order, and its status is 200 even if all of them ' +
        'failed. Another agent of the list is not affected. Send `dry_run=true` first to see what would change ' +
        'and which agents delegate to those; then send the agents with the revisions of its results. Send ' +
        '`Idempotency-Key` to make a repetition safe, such as after a lost connection. If the client ' +
        'disconnects, the console stops after the agents in progress. After 25 seconds the remaining agents ' +
        'fail as `overloaded`, unchanged: a repetition with the same ' +
        `key continues with them. ${permissions}`,
      querystring: DryRunQuery,
      headers: Type.Object({ ...BulkIdempotencyKey.properties, ...RefuseIfDependents.properties }),
      body: ref(AgentBulk),
      response: {
        200: jsonResponse('A result for each agent.', ref(AgentBulkResult), {
          headers: responseHeaders('console-ignored-fields', 'console-credential-warnings'),
        }),
        ...writeErrors('idempotency_conflict', 'match_count_differs', 'too_many_matches'),
      },
    }),
    async ({ caller, query, body, headers, log }, reply) => {
      const { result, credentialWarnings } = await bulkChange(core, caller, body, {
        isDryRun: query.dry_run ?? false,
        idempotencyKey: headers['idempotency-key'],
        refuseIfDependents: headers['console-refuse-if-dependents'],
        signal: disconnectSignal(reply.raw),
        log,
        recordRefusal: recordRefusalOf(BULK_PATH),
      })
      const warnings = headerList(credentialWarnings)
      if (warnings !== undefined) reply.header('console-credential-warnings', warnings)
      setIgnoredFieldsHeader(reply, body.update ?? {}, AgentUpdate)
      return result
    },
  )

  app.post(
    IMPORTS_PATH,
    {
      ...operation('Imports', 'agent:write', {
        config: { readsBody: true },
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
        querystring: DryRunQuery,
        headers: Type.Object({ ...ImportIdempotencyKey.properties }),
        body: { content: IMPORT_CONTENT },
        response: {
          200: jsonResponse('A result for each row.', ref(AgentImportResult)),
          ...writeErrors('idempotency_conflict'),
        },
      }),
      bodyLimit: MAX_IMPORT_BYTES,
    },
    async ({ caller, query, headers, bodyBytes, raw, log }, reply) => {
      const body = { contentType: raw.headers['content-type'], bytes: bodyBytes }
      return importAgents(core, validation, caller, body, {
        isDryRun: query.dry_run ?? false,
        idempotencyKey: headers['idempotency-key'],
        signal: disconnectSignal(reply.raw),
        log,
        recordRefusal: recordRefusalOf(IMPORTS_PATH),
      })
    },
  )
}
