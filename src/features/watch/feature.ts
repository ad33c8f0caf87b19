import type { Core, Feature } from '../../core.ts'
import type { BudgetFeature } from '../budgets/feature.ts'
import { readEpoch } from '../events/feature.ts'
import { Broadcaster } from './broadcaster.ts'
import { watchRoutes } from './routes.ts'
import { Watch } from './watch.ts'

/** Streams the changes of a team's agents as server-sent events. */
export function watchFeature(
  { database, events: stream, log, metrics }: Core,
  { budgets }: BudgetFeature,
): Feature {
  return {
    routes: async (app) => {
      const broadcaster =
        stream &&
        new Broadcaster({
          stream,
          log,
          readEpoch: () => readEpoch(database.system),
          onEvent: ({ teamId, agentId }) => budgets.forget(teamId, agentId),
        })
      // The server ends streams before it waits for open requests.
      app.addHook('preClose', async () => broadcaster?.close())
      await app.register(watchRoutes, { watch: new Watch({ broadcaster, stream, metrics }) })
    },
  }
}
