import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AgentUpdate } from '../../contract/agent.ts'
import { AgentBulk, AgentBulkResult, BULK_PERMISSIONS, BulkIdempotencyKey } from '../../contract/bulk.ts'
import { RefuseIfDependents } from '../../contract/delegation.ts'
import { DryRunQuery } from '../../contract/dry-run.ts'
import { ref } from '../../contract/fields.ts'
import { featureOperation, writeErrors } from '../../contract/operation.ts'
import { jsonResponse, responseHeaders } from '../../contract/responses.ts'
import { headerList } from '../../platform/header-list.ts'
import { disconnectSignal } from '../../platform/response-end.ts'
import { setIgnoredFieldsHeader } from '../reply.ts'
import type { Bulk } from './service.ts'

export const BULK_PATH = '/v1/agent-configurations/bulk'

const permissions = Object.entries(BULK_PERMISSIONS)
  .map(([action, permission]) => `\`${action}\` needs the permission \`${permission}\` too.`)
  .join(' ')

export const bulkRoutes: FastifyPluginAsyncTypebox<{ bulk: Bulk }> = async (app, { bulk }) => {
  app.post(
    BULK_PATH,
    {
      config: { permission: 'agent:read' },
      schema: {
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
        ...featureOperation('Agents'),
        querystring: DryRunQuery,
        headers: Type.Object({ ...BulkIdempotencyKey.properties, ...RefuseIfDependents.properties }),
        body: ref(AgentBulk),
        response: {
          200: jsonResponse('A result for each agent.', ref(AgentBulkResult), {
            headers: responseHeaders('console-ignored-fields', 'console-credential-warnings'),
          }),
          ...writeErrors('idempotency_conflict', 'match_count_differs', 'too_many_matches'),
        },
      },
    },
    async ({ caller, query, body, headers, log }, reply) => {
      const { result, credentialWarnings } = await bulk(caller, body, {
        isDryRun: query.dry_run ?? false,
        idempotencyKey: headers['idempotency-key'],
        refuseIfDependents: headers['console-refuse-if-dependents'],
        signal: disconnectSignal(reply.raw),
        log,
      })
      const warnings = headerList(credentialWarnings)
      if (warnings !== undefined) reply.header('console-credential-warnings', warnings)
      setIgnoredFieldsHeader(reply, body.update ?? {}, AgentUpdate)
      return result
    },
  )
}
