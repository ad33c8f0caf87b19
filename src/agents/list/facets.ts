import { type AgentFacets, type AgentFacetsQuery, MAX_FACET_VALUES } from '../../contract/facets.ts'
import type { Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { FacetCounter, type Tally } from './facet-counter.ts'
import { createPageReader, type FactsPage } from './facet-pages.ts'
import { hasAgents, readValues } from './facet-store.ts'
import type { FactField } from './filter-table.ts'
import { readFilters } from './filters.ts'
import type { RequireFilterTable } from './readiness.ts'

export interface FacetsDeps {
  searches: Statements
  requireFilterTable: RequireFilterTable
  /** How many agents are read at a time. */
  pageSize?: number
  /** Older agents are not counted. */
  maxAgents?: number
}

export type Facets = ReturnType<typeof createFacets>

/** PostgreSQL returns a few characters for each agent, and the console counts them: half of the processor time of grouping and
 * unnesting them in PostgreSQL. */
export function createFacets({
  searches,
  requireFilterTable,
  pageSize = 10_000,
  maxAgents = 100_000,
}: FacetsDeps) {
  const readPage = createPageReader(searches, pageSize)

  return async ({ teamId }: Caller, query: AgentFacetsQuery): Promise<AgentFacets> => {
    await requireFilterTable(teamId)
    const filters = readFilters(query)
    const counter = new FacetCounter(filters)
    /** The id that each page begins after; undefined for the first. */
    const starts: (string | undefined)[] = []
    let agents = 0
    let reading: Promise<FactsPage> | undefined = readPage(teamId, filters)
    let last: FactsPage | undefined
    while (reading) {
      const page: FactsPage = await reading
      starts.push(last?.next)
      // PostgreSQL reads the next page while this one is counted.
      const mayReadNext = page.next !== undefined && agents + pageSize < maxAgents
      reading = mayReadNext ? readPage(teamId, filters, page) : undefined
      reading?.catch(() => {})
      agents += await counter.add(page.facts, starts.length - 1)
      // The page had fewer agents than expected.
      if (!reading && page.next !== undefined && agents < maxAgents) reading = readPage(teamId, filters, page)
      last = page
    }
    const isApproximate =
      counter.hasUncounted ||
      (last?.next !== undefined && (await hasAgents(searches, teamId, filters, last.next)))

    const values = async (field: FactField) => {
      const tallies = counter.mostFrequent(field, MAX_FACET_VALUES)
      const found = await readValues(
        searches,
        teamId,
        field,
        tallies.map(({ key, page }) => ({ key, after: starts[page] })),
      )
      return describe(tallies, found)
    }
    return {
      count: counter.count,
      approximate: isApproximate,
      facets: {
        statuses: counter.ofField('statuses'),
        trust_stages: counter.ofField('trust_stages'),
        protection_statuses: counter.ofField('protection_statuses'),
        access_levels: counter.ofField('access_levels'),
        protocols: counter.ofField('protocols'),
        evaluation: counter.ofField('evaluation'),
        model_names: await values('model'),
        tags: await values('tag'),
      },
    }
  }
}

/** A value is missing if its last agent changed meanwhile. */
function describe(tallies: Tally[], values: ReadonlyMap<string, string>) {
  return tallies
    .flatMap(({ key, count }) => {
      const value = values.get(key)
      return value === undefined ? [] : { value, count }
    })
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
