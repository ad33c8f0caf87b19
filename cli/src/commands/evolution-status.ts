import { resolveAgent } from '../agents/resolve.ts'
import type { Run } from '../context.ts'
import { renderOpenObject } from '../output/open-object.ts'

export const run: Run = async ({ client, args: [agent = ''] }) => {
  const console = await client()
  const id = await resolveAgent(console, agent)
  const status = await console.evolution.status(id)
  return {
    data: status,
    names: [id],
    // The evolution service defines the fields.
    render: (style) => renderOpenObject(status, style),
  }
}
