import type { AuditEvent } from '@agent-console/sdk'
import { collect, limitOf, MAX_PAGE } from '../agents/collect.ts'
import { resolveAgent } from '../agents/resolve.ts'
import type { Context, Run } from '../context.ts'
import { UsageError } from '../failure.ts'
import { colourOf } from '../output/colours.ts'
import type { Style } from '../output/style.ts'
import { type Column, renderTable } from '../output/table.ts'

export const run: Run = async (context) => {
  const { options, client } = context
  const limit = limitOf(context)
  const [since, until] = [readTime(context, 'since'), readTime(context, 'until')]
  const [agent, action, user] = [options.text('agent'), options.text('action'), options.text('user')]
  const console = await client()
  const events = console.audit.iterate({
    ...(agent !== undefined && { agent_id: await resolveAgent(console, agent) }),
    // The console knows the actions, also newer ones.
    ...(action !== undefined && { action: action as AuditEvent['action'] }),
    ...(user !== undefined && { user_id: user }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    limit: Math.min(MAX_PAGE, limit + 1),
  })
  const rows = await collect(events, limit, 'audit events', context)
  return {
    data: rows,
    names: rows.map(({ id }) => id),
    render: (style) => renderEvents(rows, style, agent !== undefined),
  }
}

/** Events for people. Those of one agent need no column for it. */
export function renderEvents(rows: readonly AuditEvent[], style: Style, areOfOneAgent = false): string {
  if (rows.length === 0) return 'No audit events'
  return renderTable(rows, areOfOneAgent ? COLUMNS.filter((column) => column !== AGENT) : COLUMNS, style)
}

const UNITS: Record<string, number> = { m: 60, h: 3_600, d: 86_400 }

/** Unix seconds of a date, or of a duration before now. */
function readTime({ options, io }: Context, name: string): number | undefined {
  const text = options.text(name)
  if (text === undefined) return undefined
  const [, number, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? []
  if (number !== undefined) return Math.floor(io.now() / 1_000) - Number(number) * (UNITS[unit] ?? 0)
  const ms = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new UsageError(`--${name} is a date such as 2026-01-31, or a duration such as 24h or 7d.`)
  return Math.floor(ms / 1_000)
}

const AGENT: Column<AuditEvent> = { title: 'AGENT', value: ({ agent_id: id }) => id ?? '', omitFirst: 1 }

const COLUMNS: Column<AuditEvent>[] = [
  { title: 'WHEN', value: ({ at }, style) => style.time(at), colour: () => 'dim' },
  { title: 'USER', value: (row) => row.changed_by_name ?? row.user_id, minWidth: 12 },
  {
    ...{ title: 'ACTION', value: ({ action }) => action },
    colour: ({ action }) => colourOf(action.replace(/^agent_/, '')),
  },
  { title: 'VIA', value: ({ via }) => via, omitFirst: 3 },
  AGENT,
  { title: 'REASON', value: ({ reason }) => reason ?? '', minWidth: 12, omitEmpty: true, omitFirst: 2 },
]
