import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, readErrors } from '../../api/operation.ts'
import type { Core } from '../../core.ts'
import { exportAuditEvents, listAuditEvents } from './audit.ts'
import { AuditEventPage, AuditExportQuery, AuditQuery, auditExportResponse } from './schema.ts'

export const auditRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/v1/audit-events',
    operation('Audit Log', 'audit:read', {
      operationId: 'listAuditEvents',
      summary: 'List Audit Events',
      description:
        'Returns the audit log of the team, newest first: who changed an agent, requested its secrets, lacked a ' +
        'permission or called an operation of a mounted service that may have changed something. An event must match ' +
        'every filter. The console examines at most 10,000 events for a page, so that a page of a search can have ' +
        'few results or none: continue while `next_cursor` is not null.',
      querystring: AuditQuery,
      response: {
        200: jsonResponse('A page of audit events.', ref(AuditEventPage)),
        ...readErrors(),
      },
    }),
    ({ caller, query }) => listAuditEvents(core, caller, query),
  )

  app.get(
    '/v1/audit-events/export',
    {
      ...operation('Audit Log', 'audit:read', {
        config: { isAudited: true },
        operationId: 'exportAuditEvents',
        summary: 'Export Audit Events',
        description:
          'Streams the audit log of the team as lines of JSON, oldest first. An event must match every filter. The ' +
          'audit log records the export. The stream breaks off when the token expires or is revoked, the replica ' +
          'shuts down, the database fails, or the client does not read: continue with `after_id`. The number of ' +
          'exports at a time is limited.',
        querystring: AuditExportQuery,
        response: { 200: auditExportResponse, ...readErrors() },
      }),
      // A HEAD request would read the whole log.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { caller, query } = request
      const lines = await exportAuditEvents(core, caller, query, (end) => request.endWithToken(end))
      reply.type('application/x-ndjson').header('cache-control', 'no-store')
      return lines
    },
  )
}
