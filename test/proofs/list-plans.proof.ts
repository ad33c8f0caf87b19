import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Client } from 'pg'
import { facetsStatement } from '../../src/features/list/facets.ts'
import { countStatement, pageStatement, readFilters } from '../../src/features/list/queries.ts'
import { AGENT_SORTS, type AgentFiltersQuery } from '../../src/features/list/schema.ts'
import type { Statement } from '../../src/platform/postgres/sql.ts'
import { PAIRS, SINGLES } from '../support/list-filters.ts'
import { openFleet } from '../support/seeded-fleet.ts'
import { sized } from '../support/sized.ts'

const SMALL = { agents: 100_000, agentsOfLargest: 1_000 }
const DOMINATED = { agents: 100_000, agentsOfLargest: 10_000 }
const LARGE = { agents: 1_000_000, agentsOfLargest: 100_000 }
const FLEETS = sized([SMALL, DOMINATED], [SMALL, LARGE])

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

for (const options of FLEETS) {
  const { agents, agentsOfLargest } = options
  describe(`the lists of a team of ${agentsOfLargest} among ${agents} agents`, async () => {
    const fleet = await openFleet(options)
    const client = new Client({ connectionString: fleet.url })
    await client.connect()
    // As the connections for searches do.
    await client.query('SET enable_seqscan = off')
    after(async () => {
      await client.end()
      await fleet.close()
    })

    it('are found by indexes: no plan reads a table from end to end', async () => {
      for (const query of [...SINGLES, ...PAIRS]) {
        const filters = readFilters(toFilters(query))
        const pages = AGENT_SORTS.map((sort) =>
          pageStatement(fleet.largestTeam, filters, { sort, limit: 100, position: undefined, shape: {} }),
        )
        const statements: Statement[] = [
          ...pages,
          countStatement(fleet.largestTeam, filters),
          facetsStatement(fleet.largestTeam, filters, 100_000),
        ]
        for (const { name, text, values } of statements) {
          assert.equal(name, undefined, 'a named statement may get a plan for all teams and values')
          const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values)
          for (const node of nodes(rows[0]['QUERY PLAN'][0]['Plan'])) {
            assert.notEqual(node['Node Type'], 'Seq Scan', `${query}: ${node['Relation Name']}\n${text}`)
          }
        }
      }
    })
  })
}

function toFilters(query: string): AgentFiltersQuery {
  const filters = new URLSearchParams(query)
  const values = [...filters].map(([name, value]) => {
    if (name === 'min_score') return [name, Number(value)]
    return [name, name === 'q' ? value : [value]]
  })
  return Object.fromEntries(values)
}

function nodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)]
}
