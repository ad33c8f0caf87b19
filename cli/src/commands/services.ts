import type { ServiceStatus } from '@agent-console/sdk'
import type { Run } from '../context.ts'
import { colourOf } from '../output/colours.ts'
import { type Column, renderTable } from '../output/table.ts'

export const run: Run = async ({ client }) => {
  const { results } = await (await client()).services.list()
  return {
    data: results,
    names: results.map(({ name }) => name),
    render: (style) => (results.length === 0 ? 'No services' : renderTable(results, COLUMNS, style)),
  }
}

const COLUMNS: Column<ServiceStatus>[] = [
  { title: 'NAME', value: ({ name }) => name, minWidth: 16 },
  { title: 'DOCUMENT', value: ({ state }) => state, colour: ({ state }) => colourOf(state) },
  { title: 'BREAKER', value: ({ breaker }) => breaker, colour: ({ breaker }) => colourOf(breaker) },
  { title: 'SINCE', value: ({ since }, style) => style.time(since), colour: () => 'dim', omitFirst: 2 },
  { title: 'PREFIXES', value: ({ prefixes }) => prefixes.join(', '), minWidth: 16, omitFirst: 1 },
  {
    title: 'ERRORS',
    value: ({ errors }) => errors.join(' '),
    minWidth: 10,
    omitEmpty: true,
    colour: () => 'red',
  },
]
