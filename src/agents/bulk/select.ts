import type { AgentFiltersQuery } from '../../contract/agent-filters.ts'
import { MAX_BULK_AGENTS } from '../../contract/bulk.ts'
import { Problem } from '../../contract/problem.ts'
import type { Statements } from '../../platform/database/database.ts'
import { readFilters } from '../list/filters.ts'
import type { RequireFilterTable } from '../list/readiness.ts'
import { countAgents, listAgents, needsFilterTable } from '../list/store.ts'

const SORT = 'created_at'

/** The ids and revisions of the agents that match, oldest first. Throws if their number is not the expected one, or too large. */
export async function selectAgents(
  sql: Statements,
  requireFilterTable: RequireFilterTable,
  teamId: string,
  query: AgentFiltersQuery,
  expectedCount: number | undefined,
): Promise<Map<string, number>> {
  const filters = readFilters(query)
  if (needsFilterTable(filters, SORT)) await requireFilterTable(teamId)
  const { agents, hasNext } = await listAgents(sql, teamId, filters, {
    sort: SORT,
    limit: MAX_BULK_AGENTS,
    position: undefined,
    shape: { fields: ['id'] },
  })
  if (hasNext) {
    const count = await countAgents(sql, teamId, filters)
    throw new Problem('too_many_matches', {
      detail:
        `The filters match ${count} agents, and a request changes at most ${MAX_BULK_AGENTS}. Nothing was changed. Narrow the ` +
        'filters, or list the agents and send their ids in several requests.',
    })
  }
  if (expectedCount !== undefined && agents.length !== expectedCount) {
    throw new Problem('match_count_differs', {
      detail:
        `The filters match ${agents.length} agents, and expected_count is ${expectedCount}. Nothing was changed. Send the request ` +
        'with dry_run to see which agents match.',
    })
  }
  return new Map(agents.map(({ id, revision }) => [id, revision]))
}
