import type { Core, Feature } from '../../core.ts'
import { cardRoutes } from './routes.ts'
import { AGENT_CARD_SCHEMAS } from './schema.ts'

export { keepOwnMembers, readCardFields } from './card-fields.ts'
export { CardFetchError, type CardFetcher, type FetchRequest, fetchCard } from './fetch.ts'
export { present } from './read-card.ts'

/** A2A agent cards: reads, refreshes and writes them. */
export function cardFeature(core: Core): Feature {
  return { schemas: AGENT_CARD_SCHEMAS, routes: (app) => cardRoutes(app, { core }) }
}
