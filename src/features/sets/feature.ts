import type { Core, Feature } from '../../core.ts'
import { setRoutes } from './routes.ts'
import { CONFIGURATION_SET_SCHEMAS } from './schema.ts'

/** Configuration sets: files own fields of agents. */
export function setFeature(core: Core): Feature {
  return { schemas: CONFIGURATION_SET_SCHEMAS, routes: (app) => setRoutes(app, { core }) }
}
