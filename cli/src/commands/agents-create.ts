import type { AgentCreate } from '@agent-console/sdk'
import { readObject, requireFile } from '../agents/read-file.ts'
import { changeResult } from '../agents/show.ts'
import type { Run } from '../context.ts'

export const run: Run = async ({ io, client, options, note }) => {
  // `agents get` adds the revision, which is no field.
  const { revision: _, ...agent } = await readObject(requireFile(options.text('file')), io)
  const { agents } = await client()
  // The console checks it: it knows more than this version of the program.
  const created = await agents.create(agent as AgentCreate, { reason: options.text('reason') })
  return changeResult(created, 'created', note)
}
