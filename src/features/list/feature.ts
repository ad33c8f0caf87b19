import { ExportedAgent } from '../../agent/schema.ts'
import type { Core, Feature } from '../../core.ts'
import { recordAgentExport } from '../audit/feature.ts'
import { createAgentExport } from './export.ts'
import { createFacets } from './facets.ts'
import { type AgentList, createAgentList, listRoutes } from './routes.ts'
import { AgentFacets, AgentPage } from './schema.ts'

export { countAgents, listAgents, readFilters } from './queries.ts'
export type { AgentList } from './routes.ts'
export {
  AGENT_FILTERS,
  AGENT_SORTS,
  type AgentFiltersQuery,
  AgentListQuery,
  type AgentPage,
  FORMULA_STARTS,
} from './schema.ts'

export interface ListFeature extends Feature {
  list: AgentList
}

/** Lists, searches, counts and exports agents. */
export function listFeature(core: Core): ListFeature {
  const { database, exports } = core
  const { searches } = database
  const list = createAgentList({ reads: database, searches })
  return {
    list,
    schemas: [AgentPage, AgentFacets, ExportedAgent],
    routes: (app) =>
      listRoutes(app, {
        list,
        facets: createFacets({ searches }),
        exportAgents: createAgentExport({
          searches,
          exports,
          recordExport: (caller, detail) => recordAgentExport(core, caller, detail),
        }),
      }),
  }
}
