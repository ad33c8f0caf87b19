import type { Core, Feature } from '../../core.ts'
import { viewRoutes } from './routes.ts'
import { VIEW_SCHEMAS } from './views.ts'

/** Saved views of the list. */
export function viewFeature(core: Core): Feature {
  return { schemas: VIEW_SCHEMAS, routes: (app) => viewRoutes(app, { core }) }
}
