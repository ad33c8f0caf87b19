import type { AgentFeature } from '../../agent/feature.ts'
import { API_VERSION } from '../../api/operation.ts'
import type { Core, Feature } from '../../core.ts'
import { checkReason } from '../../http/request.ts'
import type { ListFeature } from '../list/feature.ts'
import { MCP_PATH, MCP_SCOPES, mcpRoutes } from './routes.ts'

/** Its metadata is for clients of MCP, which need fewer permissions. */
export const MCP_RESOURCE = { path: MCP_PATH, name: 'Agent Console for MCP clients', scopes: MCP_SCOPES }

/** The Model Context Protocol. */
export function mcpFeature(
  core: Core,
  { agents, history, evaluations }: AgentFeature,
  { list }: ListFeature,
): Feature {
  return {
    routes: (app) =>
      mcpRoutes(app, {
        ...core,
        publicUrl: core.config.publicUrl,
        version: API_VERSION,
        agents,
        history,
        evaluations,
        list,
        recordRefusal: (caller, permission, agentId) =>
          app.recordRefusal({ caller, permission, agentId, method: 'POST', route: MCP_PATH }),
        bodyCheck: app.bodyCheck,
        checkReason,
      }),
  }
}
