import type { FastifyPluginAsync } from 'fastify'

export type DependencyState = 'up' | 'down' | 'unknown'

export interface DeliveryState {
  /** `off` if NATS is not configured. */
  state: 'current' | 'behind' | 'unknown' | 'off'
  waiting?: number
  oldest_seconds?: number
}

export interface HealthOptions {
  dependencies: Record<string, () => DependencyState | Promise<DependencyState>>
  /** Event delivery. No request waits for it, so a backlog does not make the replica degraded. */
  delivery: () => Promise<DeliveryState>
  shutdown: { hasBegun: boolean }
}

/** A shared dependency that is down degrades every replica: a degraded replica still reports 200, because taking
 * all replicas out of rotation at once would be a full outage. */
export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, options) => {
  const { dependencies, delivery, shutdown } = options
  const route = { config: { permission: 'public' }, schema: { hide: true } } as const

  app.get('/health/live', route, async () => ({ status: 'live' }))

  app.get('/health/ready', route, async (_request, reply) => {
    if (shutdown.hasBegun) return reply.code(503).send({ status: 'shutting_down' })
    const [deliveryState, ...states] = await Promise.all([
      delivery(),
      ...Object.entries(dependencies).map(async ([name, state]) => [name, await state()] as const),
    ])
    const isDegraded = states.some(([, state]) => state === 'down')
    return {
      status: isDegraded ? 'degraded' : 'ready',
      dependencies: Object.fromEntries(states),
      delivery: deliveryState,
    }
  })
}
