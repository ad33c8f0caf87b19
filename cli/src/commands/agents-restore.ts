import { resolveAgent } from '../agents/resolve.ts'
import { changeResult } from '../agents/show.ts'
import type { Run } from '../context.ts'
import { readCount } from '../grammar/options.ts'

export const run: Run = async ({ client, options, note, args: [agent = '', revision = ''] }) => {
  const number = readCount(revision, 'REVISION')
  const change = { ifRevision: options.count('if-revision'), reason: options.text('reason') }
  const console = await client()
  const { agents } = console
  const restored = await agents.restore(await resolveAgent(console, agent), number, change)
  return changeResult(restored, `restored from revision ${number}`, note)
}
