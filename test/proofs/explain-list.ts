import { Client } from 'pg'
import { readFilters } from '../../src/agents/list/filters.ts'
import { listAgents } from '../../src/agents/list/store.ts'
import { AGENT_STATUSES } from '../../src/contract/agent.ts'
import type { AgentFiltersQuery } from '../../src/contract/agent-filters.ts'
import { AGENT_SORTS } from '../../src/contract/list.ts'
import type { Statement } from '../../src/platform/database/database.ts'

export interface ListPlan {
  query: string
  plan: string
  /** The most rows that a sort of the plan was given. */
  widestSort: number
  /** How it reads the table `agent_filters`, and how many rows. */
  filterScans: { type: string; rows: number }[]
}

/** Common and rare values of each filter. */
const FILTERS: AgentFiltersQuery[] = [
  {},
  { trust_stages: ['adapted'] },
  { model_names: ['gpt-5.4'] },
  { model_names: ['nothing'] },
  { hubs: ['custom'] },
  { hubs: ['nothing'] },
  { tags: ['billing', 'nothing'] },
  { tags: ['nothing'] },
  { protocols: ['a2a'] },
  { access_levels: ['white_box'] },
  { evaluation: ['outdated'] },
  { min_score: 0.99 },
]
const QUERIES = FILTERS.flatMap((filter) => [filter, { ...filter, q: 'agent' }, { ...filter, q: 'zanzibar' }])

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  /** In each loop. */
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** How PostgreSQL carries out each kind of list query, as the console sends it. */
export async function explainList(databaseUrl: string, teamId: string): Promise<ListPlan[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const plans: ListPlan[] = []
  try {
    for (const sort of AGENT_SORTS) {
      for (const query of QUERIES) {
        const explain = async <Row extends object>({ text, values }: Statement): Promise<Row[]> => {
          const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
          plans.push(describe({ sort, ...query }, rows[0]['QUERY PLAN'][0]['Plan']))
          // What one statement finds decides about the next.
          return (await client.query<Row>(text, values)).rows
        }
        const filters = readFilters({ statuses: [...AGENT_STATUSES], ...query })
        await listAgents({ read: explain, write: explain }, teamId, filters, {
          sort,
          limit: 100,
          position: undefined,
          shape: { includeScores: true },
        })
      }
    }
  } finally {
    await client.end()
  }
  return plans
}

function describe(query: object, root: PlanNode): ListPlan {
  const plan = nodes(root)
  return {
    query: JSON.stringify(query),
    plan: plan
      .map((node) => `${node['Node Type']} on ${node['Relation Name'] ?? '-'}: ${rowsOf(node)}`)
      .join('\n'),
    widestSort: Math.max(0, ...plan.filter(isSort).map(rowsInto)),
    filterScans: plan
      .filter((node) => node['Relation Name'] === 'agent_filters')
      .map((node) => ({
        type: node['Node Type'],
        rows: rowsOf(node) + (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'],
      })),
  }
}

function nodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)]
}

function isSort(node: PlanNode): boolean {
  return node['Node Type'].includes('Sort')
}

function rowsInto({ Plans = [] }: PlanNode): number {
  return Math.max(0, ...Plans.map(rowsOf))
}

function rowsOf(node: PlanNode): number {
  return node['Actual Rows'] * node['Actual Loops']
}
