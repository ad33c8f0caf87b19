import { agentFeature } from './agent/feature.ts'
import type { Core } from './core.ts'
import { auditFeature } from './features/audit/feature.ts'
import { batchFeature } from './features/batch/feature.ts'
import { budgetFeature } from './features/budgets/feature.ts'
import { cardFeature } from './features/cards/feature.ts'
import { delegationFeature } from './features/delegation/feature.ts'
import { eventFeature, notifyRelays } from './features/events/feature.ts'
import { evolutionFeature } from './features/evolution/feature.ts'
import { listFeature } from './features/list/feature.ts'
import { MCP_RESOURCE, mcpFeature } from './features/mcp/feature.ts'
import { serviceFeature } from './features/services/feature.ts'
import type { MountOptions } from './features/services/mount/routes.ts'
import { setFeature } from './features/sets/feature.ts'
import { userFeature } from './features/users/feature.ts'
import { viewFeature } from './features/views/feature.ts'
import { watchFeature } from './features/watch/feature.ts'
import { SERVER_SCHEMAS, serverRoutes } from './http/routes.ts'
import { createServer } from './http/server.ts'

/** Registers the features. `mount` replaces the services of the services file. */
export async function buildApp(opened: Core, mount?: MountOptions) {
  const core = notifyRelays(opened)
  const users = userFeature(core)
  const audit = auditFeature(core)
  const budgets = budgetFeature(core)
  const events = eventFeature(core)
  const evolution = evolutionFeature(core)
  const features = [
    users,
    agentFeature(core),
    listFeature(core),
    batchFeature(core),
    budgets,
    delegationFeature(core),
    watchFeature(core, budgets),
    cardFeature(core),
    viewFeature(core),
    setFeature(core),
    audit,
    evolution,
    events,
    mcpFeature(core),
    serviceFeature(core, { audit, budgets, users, mount }),
  ]
  const app = await createServer({
    ...core,
    ...core.config,
    schemas: [...features.flatMap(({ schemas = [] }) => schemas), ...SERVER_SCHEMAS],
    recordRefusal: (refusal) => {
      users.names.remember(refusal.caller)
      return audit.recorder.recordRefusal(refusal)
    },
  })
  const steps = features.flatMap((feature) => feature.steps ?? [])
  app.decorate('backgroundSteps', steps)
  // Ends exports before it waits for open requests.
  app.addHook('preClose', () => core.exports.close())
  await app.register(serverRoutes, {
    ...core,
    ...core.config,
    delivery: events.delivery,
    countedBy: () => budgets.budgets.countedBy(),
    upstreams: { evolution: evolution.state },
    resources: [MCP_RESOURCE],
  })
  for (const { routes } of features) await app.register(routes)
  return app
}

export type App = Awaited<ReturnType<typeof buildApp>>
