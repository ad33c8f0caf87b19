import type { AgentRevision, Agents } from '@agent-console/sdk'
import { collect, limitOf, MAX_PAGE } from '../agents/collect.ts'
import { resolveAgent } from '../agents/resolve.ts'
import type { Run } from '../context.ts'
import { colourOf } from '../output/colours.ts'
import { type Column, renderTable } from '../output/table.ts'

export const run: Run = async (context) => {
  const { client, args } = context
  const limit = limitOf(context)
  const console = await client()
  const { agents } = console
  const id = await resolveAgent(console, args[0] ?? '')
  const rows = await collect(iterate(agents, id, Math.min(MAX_PAGE, limit + 1)), limit, 'revisions', context)
  return {
    data: rows,
    names: rows.map(({ revision }) => String(revision)),
    render: (style) => renderTable(rows, COLUMNS, style),
  }
}

async function* iterate(agents: Agents, id: string, limit: number): AsyncGenerator<AgentRevision> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await agents.revisions(id, { limit, ...(cursor !== undefined && { cursor }) })
    yield* page.results
    cursor = page.next_cursor
  }
}

const SHORT: Record<string, string> = { trust_stage_changed: 'stage' }

const COLUMNS: Column<AgentRevision>[] = [
  { title: 'REV', value: ({ revision }) => String(revision) },
  { title: 'WHEN', value: ({ changed_at: at }, style) => style.time(at), colour: () => 'dim' },
  { title: 'BY', value: (row) => row.changed_by_name ?? row.changed_by, minWidth: 12 },
  {
    title: 'ACTION',
    value: ({ action }) => SHORT[action] ?? action,
    colour: ({ action }) => colourOf(action),
  },
  // A creation names every field that it sets.
  { title: 'FIELDS', value: (row) => (row.action === 'created' ? '' : row.fields.join(', ')), minWidth: 16 },
  { title: 'REASON', value: ({ reason }) => reason ?? '', minWidth: 12, omitEmpty: true, omitFirst: 1 },
]
