import type { Core, Feature } from '../core.ts'
import { createSampler } from '../platform/async.ts'
import { type Factory, onScrape } from '../platform/observe/metrics.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { named } from '../platform/postgres/sql.ts'
import { deleteExpiredKeys, KEPT_SECONDS } from './create-once.ts'
import { evaluationRoutes } from './evaluations/routes.ts'
import { EVALUATION_SCHEMAS } from './evaluations/schema.ts'
import { historyRoutes } from './history/routes.ts'
import { HISTORY_SCHEMAS } from './history/schema.ts'
import { eraseStep } from './lifecycle/erase.ts'
import { AgentLifecycle } from './lifecycle/lifecycle.ts'
import { lifecycleRoutes } from './lifecycle/routes.ts'
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

/** Agents of all teams by trust stage, estimated from the statistics that PostgreSQL keeps for its planner:
 * counting would read the whole table. Empty before the first ANALYZE, which autovacuum runs. */
async function estimateAgents(sql: Pick<Statements, 'read'>): Promise<Map<string, number>> {
  const rows = await sql.read<{ stage: string; count: number }>(named('estimate-agents')`
SELECT stage, round(reltuples * frequency)::float8 AS count
FROM pg_class
JOIN pg_stats ON schemaname = relnamespace::regnamespace::text AND tablename = relname AND attname = 'trust_stage'
CROSS JOIN unnest(most_common_vals::text::text[], most_common_freqs) AS common (stage, frequency)
WHERE pg_class.oid = 'agents'::regclass AND reltuples > 0`)
  return new Map(rows.map(({ stage, count }) => [stage, count]))
}

/** Undefined if they are not known. */
export function observeAgents(create: Factory, latest: () => ReadonlyMap<string, number> | undefined): void {
  const agents = create.gauge(
    'console_agents',
    'Agents of all teams by trust stage, estimated from the statistics of PostgreSQL',
    ['trust_stage'],
  )
  onScrape(agents, () => {
    agents.reset()
    for (const [stage, count] of latest() ?? []) agents.set({ trust_stage: stage }, count)
  })
}
