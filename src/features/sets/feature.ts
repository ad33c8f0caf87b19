import type { Core, Feature } from '../../core.ts'
import { setRoutes } from './routes.ts'
import { CONFIGURATION_SET_SCHEMAS } from './schema.ts'
import { createSets } from './sets.ts'

/** Configuration sets: files own fields of agents. */
export function setFeature(core: Core): Feature {
  const { database } = core
  const sets = createSets({ ...core, sql: database, searches: database.searches })
  return { schemas: CONFIGURATION_SET_SCHEMAS, routes: (app) => setRoutes(app, { sets }) }
}
