import type { Core, Feature } from '../../core.ts'
import type { SourceState } from '../../platform/outbound/source.ts'
import { createUpstream } from '../../platform/upstream/upstream.ts'
import { evolutionRoutes } from './routes.ts'
import { EvolutionError, EvolutionStatus, Genome } from './schema.ts'

export interface EvolutionFeature extends Feature {
  /** Undefined if EVOLUTION_URL is not set. */
  state: (() => SourceState) | undefined
}

/** Forwards two operations to the evolution service. */
export function evolutionFeature({ config, metrics }: Core): EvolutionFeature {
  const upstream = config.evolution && createUpstream({ name: 'evolution', ...config.evolution, metrics })
  return {
    state: upstream?.state,
    schemas: [EvolutionStatus, EvolutionError, Genome],
    routes: async (app) => {
      app.addHook('onClose', async () => upstream?.close())
      await app.register(evolutionRoutes, { upstream })
    },
  }
}
