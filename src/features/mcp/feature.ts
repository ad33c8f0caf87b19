import type { Core, Feature } from '../../core.ts'
import { MCP_PATH, MCP_SCOPES, mcpRoutes } from './routes.ts'

/** Its metadata is for clients of MCP, which need fewer permissions. */
export const MCP_RESOURCE = { path: MCP_PATH, name: 'Agent Console for MCP clients', scopes: MCP_SCOPES }

/** The Model Context Protocol. */
export function mcpFeature(core: Core): Feature {
  return { routes: (app) => mcpRoutes(app, { core }) }
}
