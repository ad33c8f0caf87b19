import { Client } from 'pg'
import { listAgents } from '../../src/agents/list/store.ts'
import { AGENT_STATUSES, PROTECTION_STATUSES, TRUST_STAGES } from '../../src/contract/agent.ts'
import { AGENT_SORTS } from '../../src/contract/list.ts'
import type { Statement } from '../../src/platform/database.ts'

export interface ListPlan {
  query: string
  plan: string
  /** The most rows that a sort of the plan was given. */
  widestSort: number
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: PlanNode[]
}

/** How PostgreSQL carries out each kind of list query, as the console sends it. */
export async function explainList(databaseUrl: string, teamId: string): Promise<ListPlan[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const plans: ListPlan[] = []
  try {
    for (const sort of AGENT_SORTS) {
      for (const q of [undefined, 'agent', 'zanzibar']) {
        for (const trustStages of [TRUST_STAGES, ['adapted']]) {
          let statement: Statement | undefined
          const capture = async <Row extends object>(sent: Statement): Promise<Row[]> => {
            statement = sent
            // The sample is really taken: what is common and what is rare decides between two of the queries.
            return sent.name === 'sample-agents' ? (await client.query<Row>(sent.text, sent.values)).rows : []
          }
          const filters = {
            statuses: AGENT_STATUSES,
            trustStages,
            protectionStatuses: PROTECTION_STATUSES,
            q,
          }
          await listAgents({ read: capture, write: capture }, teamId, filters, {
            sort,
            limit: 100,
            position: undefined,
            includeScores: true,
          })
          const { text = '', values = [] } = statement ?? {}
          const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
          const root = rows[0]['QUERY PLAN'][0]['Plan'] as PlanNode
          plans.push({
            query: JSON.stringify({ sort, q, trustStages }),
            plan: nodes(root)
              .map(
                (node) =>
                  `${node['Node Type']} on ${node['Relation Name'] ?? '-'}: ${node['Actual Rows'] * node['Actual Loops']}`,
              )
              .join('\n'),
            widestSort: Math.max(0, ...nodes(root).filter(isSort).map(rowsInto)),
          })
        }
      }
    }
  } finally {
    await client.end()
  }
  return plans
}

function nodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)]
}

function isSort(node: PlanNode): boolean {
  return node['Node Type'].includes('Sort')
}

function rowsInto({ Plans = [] }: PlanNode): number {
  return Math.max(0, ...Plans.map((child) => child['Actual Rows'] * child['Actual Loops']))
}
