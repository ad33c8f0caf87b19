import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { bearsOnBehaviour } from '../records/fields.ts'
import type { BehaviourChange } from './bands.ts'
import { METRICS } from './evaluations.ts'

/** `since`: Unix time in seconds; undefined: all. */
export function seriesQuery(id: string, since: number | undefined) {
  return queryOptions({
    queryKey: [...keys.evaluations(id), 'series', since ?? 'all'],
    queryFn: ({ signal }) =>
      Promise.all(
        METRICS.map(({ metric }) =>
          api().agents.evaluationSeries(
            id,
            { metric, ...(since === undefined ? {} : { since }) },
            { signal },
          ),
        ),
      ),
  })
}

const PAGE = 500
/** An agent may have 100,000 revisions; bands older than these are not drawn. */
const MAX_PAGES = 4

export interface BehaviourChanges {
  /** In ascending order. */
  changes: BehaviourChange[]
  /** false: there are older ones that were not read. */
  complete: boolean
}

/** The revisions after `since` that changed the behaviour of the agent. */
export function behaviourChangesQuery(id: string, since: number) {
  return queryOptions({
    queryKey: [...keys.revisions(id), 'behaviour', since],
    queryFn: async ({ signal }): Promise<BehaviourChanges> => {
      const changes: BehaviourChange[] = []
      let cursor: string | undefined
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
        const { results, next_cursor: next } = await api().agents.revisions(id, query, { signal })
        changes.push(
          ...results.filter(({ revision, fields }) => revision > since && fields.some(bearsOnBehaviour)),
        )
        if (next === null || (results.at(-1)?.revision ?? 0) <= since) {
          return { changes: changes.toReversed(), complete: true }
        }
        cursor = next
      }
      return { changes: changes.toReversed(), complete: false }
    },
  })
}
