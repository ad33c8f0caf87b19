import { resolveAgent } from '../agents/resolve.ts'
import { agentResult } from '../agents/show.ts'
import type { Run } from '../context.ts'

export const run: Run = async ({ client, options, args: [agent = ''] }) => {
  const revision = options.count('revision')
  const console = await client()
  const { agents } = console
  const query = {
    ...(revision !== undefined && { revision }),
    ...(options.isOn('scores') && { include_scores: true }),
  }
  return agentResult(await agents.get(await resolveAgent(console, agent), query))
}
