import { KEPT_SECONDS } from '../../agent/create-once.ts'
import type { Core, Feature } from '../../core.ts'
import { BULK_SCHEMAS } from './bulk-schema.ts'
import { IMPORT_SCHEMAS } from './import-schema.ts'
import { deleteExpiredBulks } from './repetition.ts'
import { batchRoutes } from './routes.ts'

/** Changes many agents in one request: bulk changes and imports. */
export function batchFeature(core: Core): Feature {
  return {
    schemas: [...BULK_SCHEMAS, ...IMPORT_SCHEMAS],
    routes: (app) => batchRoutes(app, { core }),
    steps: [
      {
        name: 'bulk_requests',
        intervalMs: 5_000,
        run: (sql, now) => deleteExpiredBulks(sql, now - KEPT_SECONDS),
      },
    ],
  }
}
