import { readAssignments, toUpdate } from '../agents/assignments.ts'
import { resolveAgent } from '../agents/resolve.ts'
import { changeResult } from '../agents/show.ts'
import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'

export const run: Run = async ({ io, client, options, note, args: [agent = '', ...texts] }) => {
  if (texts.length === 0) throw new UsageError('Give at least one FIELD=VALUE.')
  const assignments = await readAssignments(texts, io)
  const ifRevision = options.count('if-revision')
  const reason = options.text('reason')
  const console = await client()
  const { agents } = console
  const id = await resolveAgent(console, agent)
  const hasMembers = assignments.some(({ members }) => members.length > 0)
  if (ifRevision === undefined && hasMembers) {
    // The object is read and written back as a whole: no change of another writer may get lost in between.
    const edited = await agents.edit(id, (current) => toUpdate(current, assignments), { reason })
    return changeResult(edited, 'updated', note)
  }
  const update = toUpdate(hasMembers ? (await agents.get(id)).agent : {}, assignments)
  return changeResult(await agents.update(id, update, { ifRevision, reason }), 'updated', note)
}
