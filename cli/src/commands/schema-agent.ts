import schema from '../agents/agent-schema.json' with { type: 'json' }
import { typesOf } from '../agents/fields.ts'
import type { Run } from '../context.ts'
import type { Style } from '../output/style.ts'
import { type Column, renderPairs, renderTable } from '../output/table.ts'

type Field = [name: string, schema: { description?: string }]

const FIELDS: Field[] = Object.entries(schema.properties)
const typeOf = (name: string) => typesOf(name).join(' or ')

const COLUMNS: Column<Field>[] = [
  { title: 'FIELD', value: ([name]) => name },
  { title: 'TYPE', value: ([name]) => typeOf(name) },
  { title: 'DESCRIPTION', value: ([, { description = '' }]) => description },
]

export const run: Run = async () => ({
  data: schema,
  names: FIELDS.map(([name]) => name),
  render: renderFields,
})

function renderFields(style: Style): string {
  if (style.columns === undefined) return renderTable(FIELDS, COLUMNS, style)
  // A table would cut the descriptions to a few words.
  const pairs = FIELDS.map(
    ([name, { description = '' }]) => [name, `${typeOf(name)}\n${description}`.trim()] as const,
  )
  return renderPairs(pairs, style)
}
