import { KEPT_SECONDS } from '../../agent/create-once.ts'
import type { AgentFeature } from '../../agent/feature.ts'
import type { Caller } from '../../api/caller.ts'
import type { Core, Feature } from '../../core.ts'
import { createBulk } from './bulk.ts'
import { BULK_SCHEMAS } from './bulk-schema.ts'
import type { ReadCard } from './import-body.ts'
import { AgentImportRow, IMPORT_SCHEMAS, ImportRequestBody } from './import-schema.ts'
import { createImports } from './imports.ts'
import { deleteExpiredBulks } from './repetition.ts'
import { BULK_PATH, bulkRoutes, IMPORTS_PATH, importRoutes } from './routes.ts'

export type { CardImport, ReadCard } from './import-body.ts'
export { isObject, keepOwnMembers, type ReadRow } from './import-rows.ts'
export { MAX_EXTERNAL_KEY_LENGTH } from './import-schema.ts'

/** Changes many agents in one request: bulk changes and imports. */
export function batchFeature(core: Core, { agents, lifecycle }: AgentFeature, readCard: ReadCard): Feature {
  const { database } = core
  const deps = { ...core, sql: database, searches: database.searches, agents, lifecycle, readCard }
  return {
    schemas: [...BULK_SCHEMAS, ...IMPORT_SCHEMAS],
    routes: async (app) => {
      const refusalsOf = (route: string) => (caller: Caller, permission: string, agentId: string) =>
        app.recordRefusal({ caller, permission, agentId, method: 'POST', route })
      await app.register(bulkRoutes, { bulk: createBulk({ ...deps, recordRefusal: refusalsOf(BULK_PATH) }) })
      await app.register(importRoutes, {
        imports: createImports({
          ...deps,
          rows: app.validateParts(AgentImportRow),
          request: app.validateParts(ImportRequestBody),
          recordRefusal: refusalsOf(IMPORTS_PATH),
        }),
      })
    },
    steps: [
      {
        name: 'bulk_requests',
        intervalMs: 5_000,
        run: (sql, now) => deleteExpiredBulks(sql, now - KEPT_SECONDS),
      },
    ],
  }
}
