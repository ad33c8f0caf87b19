import { resolveAgent } from '../agents/resolve.ts'
import type { Run } from '../grammar/types.ts'
import { renderOpenObject } from '../output/open-object.ts'

export const run: Run = async ({ client, args: [agent = ''] }) => {
  const { agents, evolution } = await client()
  const id = await resolveAgent(agents, agent)
  const status = await evolution.status(id)
  return {
    data: status,
    names: [id],
    // The evolution service defines the fields.
    render: (style) => renderOpenObject(status, style),
  }
}
