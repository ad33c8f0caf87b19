import type { AgentFeature } from '../../agent/feature.ts'
import type { Core, Feature } from '../../core.ts'
import { documents } from '../../http/validation/body.ts'
import type { ReadCard } from '../batch/feature.ts'
import { createReadCard } from './import-card.ts'
import { cardRoutes } from './routes.ts'
import { AGENT_CARD_SCHEMAS } from './schema.ts'

export interface CardFeature extends Feature {
  /** Reads the row of an import from an agent card. */
  readCard: ReadCard
}

/** A2A agent cards: reads, refreshes and writes them. */
export function cardFeature({ now, outbound }: Core, { agents }: AgentFeature): CardFeature {
  const deps = {
    now,
    documents,
    get: (...args: Parameters<typeof outbound.get>) => outbound.get(...args),
    agents,
  }
  return {
    readCard: createReadCard(deps),
    schemas: AGENT_CARD_SCHEMAS,
    routes: (app) => cardRoutes(app, deps),
  }
}
