import type { FastifyPluginAsync } from 'fastify'

export type DependencyState = 'up' | 'down' | 'unknown'

export interface DeliveryState {
  /** `off` where no NATS is configured. */
  state: 'current' | 'behind' | 'unknown' | 'off'
  waiting?: number
  oldest_seconds?: number
}

export interface HealthOptions {
  /** The state of each thing this process depends on, by name. */
  dependencies: Record<string, () => DependencyState | Promise<DependencyState>>
  /** How the delivery of events is doing. No request waits for it, so it does not degrade this replica. */
  delivery: () => Promise<DeliveryState>
  shutdown: { begun: boolean }
}

/** Live: the process answers. Ready: send it requests. A shared engine that is down degrades every replica
 * alike; taking all of them out of rotation at once would turn that into an outage of everything else. */
export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, options) => {
  const { dependencies, delivery, shutdown } = options
  const route = { config: { permission: 'public' }, schema: { hide: true } } as const

  app.get('/health/live', route, async () => ({ status: 'live' }))

  app.get('/health/ready', route, async (_request, reply) => {
    if (shutdown.begun) return reply.code(503).send({ status: 'shutting_down' })
    const [delivered, ...states] = await Promise.all([
      delivery(),
      ...Object.entries(dependencies).map(async ([name, state]) => [name, await state()] as const),
    ])
    const degraded = states.some(([, state]) => state === 'down')
    return {
      status: degraded ? 'degraded' : 'ready',
      dependencies: Object.fromEntries(states),
      delivery: delivered,
    }
  })
}
