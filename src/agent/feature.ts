import type { Core, Feature } from '../core.ts'
import { createSampler } from '../platform/async.ts'
import { type Agents, createAgents } from './agents.ts'
import { deleteExpiredKeys, KEPT_SECONDS } from './create-once.ts'
import { createEvaluations, type Evaluations, evaluationRoutes } from './evaluations/routes.ts'
import { EVALUATION_SCHEMAS } from './evaluations/schema.ts'
import { createHistory, type History } from './history/history.ts'
import { createRedact } from './history/redact.ts'
import { historyRoutes } from './history/routes.ts'
import { HISTORY_SCHEMAS } from './history/schema.ts'
import { eraseStep } from './lifecycle/erase.ts'
import { AgentLifecycle, createLifecycle, type Lifecycle } from './lifecycle/lifecycle.ts'
import { lifecycleRoutes } from './lifecycle/routes.ts'
import { estimateAgents, observeAgents } from './queries.ts'
import { configurationRoutes } from './routes.ts'
import { AGENT_SCHEMAS } from './schema.ts'
import { createNamedSecrets } from './secrets/named-secrets.ts'
import { secretRoutes } from './secrets/routes.ts'
import { SECRET_SCHEMAS } from './secrets/schema.ts'
import { createReadSecrets } from './secrets/secret-change.ts'

export interface AgentFeature extends Feature {
  agents: Agents
  history: History
  lifecycle: Lifecycle
  evaluations: Evaluations
}

/** One agent: its configuration, history, secrets, lifecycle and evaluations. */
export function agentFeature(core: Core): AgentFeature {
  const { config, database, metrics } = core
  const deps = { ...core, sql: database, searches: database.searches, recoverDays: config.recoverDays }
  const history = createHistory(deps)
  const agents = createAgents({ ...deps, history })
  const lifecycle = createLifecycle(deps)
  const evaluations = createEvaluations(deps)
  return {
    agents,
    history,
    lifecycle,
    evaluations,
    schemas: [...AGENT_SCHEMAS, ...HISTORY_SCHEMAS, AgentLifecycle, ...EVALUATION_SCHEMAS, ...SECRET_SCHEMAS],
    routes: async (app) => {
      const counts = createSampler(() => estimateAgents(database.system))
      observeAgents(metrics, counts.latest)
      app.addHook('onClose', () => counts.close())
      await app.register(configurationRoutes, { agents, history })
      await app.register(historyRoutes, { history, redact: createRedact(deps) })
      await app.register(lifecycleRoutes, { lifecycle })
      await app.register(evaluationRoutes, { evaluations })
      await app.register(secretRoutes, {
        readSecrets: createReadSecrets(deps),
        namedSecrets: createNamedSecrets(deps),
      })
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
