import type { Core, Feature } from '../../core.ts'
import { delegationRoutes } from './routes.ts'
import { DELEGATION_SCHEMAS } from './schema.ts'

/** Which agents an agent delegates to, and which delegate to it. */
export function delegationFeature(core: Core): Feature {
  return { schemas: DELEGATION_SCHEMAS, routes: (app) => delegationRoutes(app, { core }) }
}
