import type { FastifyPluginAsync } from 'fastify'

export type DependencyState = 'up' | 'down' | 'unknown'

export interface HealthOptions {
  /** The state of each thing this process depends on, by name. */
  dependencies: Record<string, () => DependencyState | Promise<DependencyState>>
  shutdown: { begun: boolean }
}

/** Live: the process answers. Ready: send it requests. A shared engine that is down degrades every replica
 * alike; taking all of them out of rotation at once would turn that into an outage of everything else. */
export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, { dependencies, shutdown }) => {
  const options = { config: { permission: 'public' }, schema: { hide: true } } as const

  app.get('/health/live', options, async () => ({ status: 'live' }))

  app.get('/health/ready', options, async (_request, reply) => {
    if (shutdown.begun) return reply.code(503).send({ status: 'shutting_down' })
    const states = Object.fromEntries(
      await Promise.all(
        Object.entries(dependencies).map(async ([name, state]) => [name, await state()] as const),
      ),
    )
    const degraded = Object.values(states).includes('down')
    return { status: degraded ? 'degraded' : 'ready', dependencies: states }
  })
}
