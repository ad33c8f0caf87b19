import type { Core, Feature } from '../core.ts'
import { createSampler } from '../platform/async.ts'
import { deleteExpiredKeys, KEPT_SECONDS } from './create-once.ts'
import { evaluationRoutes } from './evaluations/routes.ts'
import { EVALUATION_SCHEMAS } from './evaluations/schema.ts'
import { historyRoutes } from './history/routes.ts'
import { HISTORY_SCHEMAS } from './history/schema.ts'
import { eraseStep } from './lifecycle/erase.ts'
import { AgentLifecycle } from './lifecycle/lifecycle.ts'
import { lifecycleRoutes } from './lifecycle/routes.ts'
import { estimateAgents, observeAgents } from './queries.ts'
import { configurationRoutes } from './routes.ts'
import { AGENT_SCHEMAS } from './schema.ts'
import { secretRoutes } from './secrets/routes.ts'
import { SECRET_SCHEMAS } from './secrets/schema.ts'

/** One agent: its configuration, history, secrets, lifecycle and evaluations. */
export function agentFeature(core: Core): Feature {
  return {
    schemas: [...AGENT_SCHEMAS, ...HISTORY_SCHEMAS, AgentLifecycle, ...EVALUATION_SCHEMAS, ...SECRET_SCHEMAS],
    routes: async (app) => {
      const counts = createSampler(() => estimateAgents(core.database.system))
      observeAgents(core.metrics, counts.latest)
      app.addHook('onClose', () => counts.close())
      await app.register(configurationRoutes, { core })
      await app.register(historyRoutes, { core })
      await app.register(lifecycleRoutes, { core })
      await app.register(evaluationRoutes, { core })
      await app.register(secretRoutes, { core })
    },
    steps: [
      {
        name: 'idempotency_keys',
        intervalMs: 5_000,
        run: (sql, now) => deleteExpiredKeys(sql, now - KEPT_SECONDS),
      },
      { name: 'deleted_agents', intervalMs: 5_000, run: eraseStep },
    ],
  }
}
