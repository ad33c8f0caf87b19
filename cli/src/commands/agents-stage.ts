import type { TrustStage } from '@agent-console/sdk'
import { resolveAgent } from '../agents/resolve.ts'
import { changeResult } from '../agents/show.ts'
import type { Run } from '../context.ts'

export const run: Run = async ({ client, options, note, args: [agent = '', stage = ''] }) => {
  const change = { ifRevision: options.count('if-revision'), reason: options.text('reason') }
  const console = await client()
  const { agents } = console
  // The table of commands allows only the stages.
  const moved = await agents.moveStage(await resolveAgent(console, agent), stage as TrustStage, change)
  return changeResult(moved, `is in stage ${stage}`, note)
}
