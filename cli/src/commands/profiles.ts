import type { Run } from '../context.ts'
import { renderTable } from '../output/table.ts'
import { pathsOf } from '../session/paths.ts'
import { readConfig } from '../session/profiles.ts'

export const run: Run = async ({ io, note }) => {
  const { current, profiles } = await readConfig(pathsOf(io))
  const rows = Object.entries(profiles).map(([name, { url, issuer, client_id, storage }]) => ({
    ...{ name, url, issuer, client_id, storage },
    is_current: name === current,
  }))
  if (rows.length === 0) note('There are no profiles. Run: agent-console login --url URL')
  return {
    data: rows,
    names: rows.map(({ name }) => name),
    render: (style) =>
      renderTable(
        rows,
        [
          { title: '', value: ({ is_current: isCurrent }) => (isCurrent ? '*' : '') },
          { title: 'NAME', value: ({ name }) => name, minWidth: 12 },
          { title: 'CONSOLE', value: ({ url }) => url, minWidth: 20 },
          { title: 'STORAGE', value: ({ storage }) => storage },
        ],
        style,
      ),
  }
}
