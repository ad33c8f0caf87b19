import type { Core, Feature } from '../../core.ts'
import { createDelegationGraph, delegationRoutes } from './routes.ts'
import { DELEGATION_SCHEMAS } from './schema.ts'

/** Which agents an agent delegates to, and which delegate to it. */
export function delegationFeature({ database, now }: Core): Feature {
  const delegation = createDelegationGraph({ sql: database.searches, now })
  return { schemas: DELEGATION_SCHEMAS, routes: (app) => delegationRoutes(app, { delegation }) }
}
