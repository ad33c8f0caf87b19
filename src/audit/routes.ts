import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEventPage, AuditQuery } from '../contract/audit.ts'
import { ref } from '../contract/fields.ts'
import { AGENT_OPERATION, readErrors } from '../contract/operation.ts'
import { jsonResponse } from '../contract/responses.ts'
import type { Audit } from './service.ts'

export const auditRoutes: FastifyPluginAsyncTypebox<{ audit: Audit }> = async (app, { audit }) => {
  app.get(
    '/v1/audit-events',
    {
      config: { permission: 'audit:read', lane: 'by_method' },
      schema: {
        operationId: 'listAuditEvents',
        summary: 'List Audit Events',
        description:
          'Returns the audit log of the team, newest first: who changed an agent, requested its secrets, lacked a permission or ' +
          'called an operation of a mounted service that may have changed something.',
        ...AGENT_OPERATION,
        querystring: AuditQuery,
        response: {
          200: jsonResponse('A page of audit events.', ref(AuditEventPage)),
          ...readErrors(),
        },
      },
    },
    ({ caller, query }) => audit.list(caller, query),
  )
}
