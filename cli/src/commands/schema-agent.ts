import schema from '../agents/agent-schema.json' with { type: 'json' }
import { typesOf } from '../agents/fields.ts'
import type { Run } from '../grammar/types.ts'
import { renderTable } from '../output/table.ts'

export const run: Run = async () => {
  const fields = Object.entries(schema.properties as Record<string, { description?: string }>)
  return {
    data: schema,
    names: fields.map(([name]) => name),
    render: (style) =>
      renderTable(
        fields,
        [
          { title: 'FIELD', value: ([name]) => name },
          { title: 'TYPE', value: ([name]) => typesOf(name).join(' or ') },
          { title: 'DESCRIPTION', value: ([, { description = '' }]) => description, minWidth: 20 },
        ],
        style,
      ),
  }
}
