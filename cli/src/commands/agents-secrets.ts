import type { Agents } from '@agent-console/sdk'
import { resolveAgent } from '../agents/resolve.ts'
import type { Run } from '../context.ts'
import { oneLine } from '../output/safe-text.ts'
import { renderTable } from '../output/table.ts'

interface Secrets {
  api_key: string | null
  white_box_config: { github_token: string | null }
  secrets: Record<string, string>
}

export const run: Run = async ({ client, options, args: [agent = ''] }) => {
  const console = await client()
  const { agents } = console
  const id = await resolveAgent(console, agent)
  const isRevealed = options.isOn('reveal')
  const data: Secrets = isRevealed ? await agents.secrets(id) : await readMasks(agents, id)
  const rows = toRows(data)
  return {
    data,
    names: rows.map(({ name }) => name),
    render: (style) => {
      if (rows.length === 0) return 'No secrets'
      return renderTable(
        rows,
        [
          { title: 'NAME', value: ({ name }) => name },
          { title: isRevealed ? 'VALUE' : 'MASK', value: ({ value }) => oneLine(value) },
        ],
        // Never cut: it is for copying.
        { ...style, columns: undefined },
      )
    },
  }
}

/** In the form of the clear text. */
async function readMasks(agents: Agents, id: string): Promise<Secrets> {
  const [{ agent }, { results }] = await Promise.all([agents.get(id), agents.secretNames(id)])
  return {
    api_key: agent.api_key,
    white_box_config: { github_token: agent.white_box_config?.github_token ?? null },
    secrets: Object.fromEntries(results.map(({ name, mask }) => [name, mask])),
  }
}

function toRows({ api_key: key, white_box_config: config, secrets }: Secrets) {
  const all = [
    ['api_key', key],
    ['white_box_config.github_token', config.github_token],
    ...Object.entries(secrets),
  ]
  return all.flatMap(([name, value]) => (value ? [{ name: name ?? '', value }] : []))
}
