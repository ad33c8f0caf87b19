import type { FastifyPluginAsync } from 'fastify'
import { ALWAYS_RESPONDS } from './server.ts'

export type DependencyState = 'up' | 'read_only' | 'schema_outdated' | 'down' | 'unknown'

export interface DeliveryState {
  /** `off` if NATS is not configured, `diverged` if the stream holds events that the database does not have. */
  state: 'current' | 'behind' | 'diverged' | 'unknown' | 'off'
  waiting?: number
  oldest_seconds?: number
}

export interface HealthOptions {
  dependencies: Record<string, () => DependencyState | Promise<DependencyState>>
  /** Event delivery. No request waits for it, so a backlog does not make the replica degraded. */
  delivery: () => Promise<DeliveryState>
  /** Who counts request budgets. A replica that counts by itself is not degraded. */
  countedBy: () => string
  shutdown: { hasBegun: boolean }
}

/** A shared dependency that is down degrades every replica: a degraded replica still reports 200, because taking
 * all replicas out of rotation at once would be a full outage. A schema that is older than the code concerns only the
 * replicas with this version of the code: they must not receive requests before the migration. */
export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, options) => {
  const { dependencies, delivery, countedBy, shutdown } = options
  const route = { config: { permission: 'public', ...ALWAYS_RESPONDS }, schema: { hide: true } } as const

  app.get('/health/live', route, async () => ({ status: 'live' }))

  app.get('/health/ready', route, async (_request, reply) => {
    if (shutdown.hasBegun) return reply.code(503).send({ status: 'shutting_down' })
    const [deliveryState, ...states] = await Promise.all([
      delivery(),
      ...Object.entries(dependencies).map(async ([name, state]) => [name, await state()] as const),
    ])
    const has = (...wanted: DependencyState[]) => states.some(([, state]) => wanted.includes(state))
    const isOutdated = has('schema_outdated')
    return reply.code(isOutdated ? 503 : 200).send({
      status: isOutdated ? 'schema_outdated' : has('down', 'read_only') ? 'degraded' : 'ready',
      dependencies: Object.fromEntries(states),
      delivery: deliveryState,
      request_budgets: { counted_by: countedBy() },
    })
  })
}
