import { ExportedAgent } from '../../agent/schema.ts'
import type { Core, Feature } from '../../core.ts'
import { listRoutes } from './routes.ts'
import { AgentFacets, AgentPage } from './schema.ts'

export { countAgents, findAgents, readFilters } from './queries.ts'
export { listAgents } from './routes.ts'
export {
  AGENT_FILTERS,
  AGENT_SORTS,
  type AgentFiltersQuery,
  AgentListQuery,
  type AgentPage,
  FORMULA_STARTS,
} from './schema.ts'

/** Lists, searches, counts and exports agents. */
export function listFeature(core: Core): Feature {
  return {
    schemas: [AgentPage, AgentFacets, ExportedAgent],
    routes: (app) => listRoutes(app, { core }),
  }
}
