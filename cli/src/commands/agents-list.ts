import type { Agent } from '@agent-console/sdk'
import { collect, limitOf, MAX_PAGE } from '../agents/collect.ts'
import { maskSecrets } from '../agents/mask.ts'
import type { Run } from '../context.ts'
import { PROTECTION_STATUSES, SORT_ORDERS, STATUSES, TRUST_STAGES } from '../grammar/words.ts'
import { colourOf } from '../output/colours.ts'
import { type Column, renderTable } from '../output/table.ts'

type Row = Agent & { revision: number }

/** What the table shows: people wait for less data. */
const SHOWN = [
  ...['agent_name', 'status', 'trust_stage', 'protection_status', 'model_name', 'updated_at'],
] as (keyof Agent)[]

export const run: Run = async (context) => {
  const { options, format } = context
  const limit = limitOf(context)
  const isShort = format === 'table' || format === 'name'
  const withScores = options.isOn('scores')
  const { agents } = await context.client()
  const items = agents.iterate({
    ...given('statuses', options.choices('status', STATUSES)),
    ...given('trust_stages', options.choices('stage', TRUST_STAGES)),
    ...given('protection_statuses', options.choices('protection', PROTECTION_STATUSES)),
    ...given('tags', options.list('tag')),
    ...(options.text('query') && { q: options.text('query') ?? '' }),
    sort: options.choice('sort', SORT_ORDERS) ?? '-created_at',
    ...(isShort && { fields: withScores ? [...SHOWN, 'latest_evaluation'] : SHOWN }),
    ...(withScores && { include_scores: true }),
    // One more than is shown, to know whether there are more.
    limit: Math.min(MAX_PAGE, limit + 1),
  })
  const found = await collect(items, limit, 'agents', context)
  const rows = found.map(({ agent, revision }): Row => ({ revision, ...(agent as Agent) }))
  return {
    data: isShort ? undefined : rows.map(maskSecrets),
    names: rows.map(({ id }) => id),
    render: (style) => {
      if (rows.length === 0) return 'No agents'
      return renderTable(rows, withScores ? [...COLUMNS, SCORE] : COLUMNS, style)
    },
  }
}

/** Nothing for an empty list: it would filter everything out. */
const given = <N extends string, T>(name: N, values: T[]) =>
  (values.length === 0 ? {} : { [name]: values }) as { [K in N]?: T[] }

const COLUMNS: Column<Row>[] = [
  { title: 'NAME', value: ({ agent_name: name }) => name, minWidth: 24 },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => colourOf(status) },
  {
    title: 'STAGE',
    value: ({ trust_stage: stage }) => stage,
    colour: ({ trust_stage: stage }) => colourOf(stage),
  },
  {
    ...{ title: 'PROTECTION', value: (row) => row.protection_status },
    ...{ colour: (row) => colourOf(row.protection_status), omitFirst: 2 },
  },
  { title: 'MODEL', value: (row) => row.model_name, minWidth: 14, omitFirst: 1 },
  { title: 'REV', value: ({ revision }) => String(revision), omitFirst: 3 },
  { title: 'UPDATED', value: ({ updated_at: at }, style) => style.time(at), colour: () => 'dim' },
  { title: 'ID', value: ({ id }) => id, colour: () => 'dim', omitFirst: 4 },
]

const SCORE: Column<Row> = {
  title: 'SCORE',
  value: ({ latest_evaluation: latest }) =>
    latest ? `${latest.overall_score ?? ''}${latest.current ? '' : ' (outdated)'}` : '',
}
