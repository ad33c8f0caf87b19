import { ConsoleError, NotFound } from '@agent-console/sdk'
import { resolveAgents } from '../agents/resolve.ts'
import { isConfirmed } from '../confirm.ts'
import type { Context, Run } from '../context.ts'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { oneLine } from '../output/safe-text.ts'

interface Row {
  id: string
  agent_name: string
  deleted: boolean
  error: string | null
}

export const run: Run = async (context) => {
  const { io, client, options, args } = context
  const ifRevision = options.count('if-revision')
  if (ifRevision !== undefined && args.length > 1) throw new UsageError('--if-revision is for one agent.')
  const console = await client()
  const { agents } = console
  // All of them before the first deletion: a misspelt name must not stop it half way.
  const ids = [...new Set(await resolveAgents(console, args))]
  const found: Row[] = []
  for (const id of ids) {
    io.signal.throwIfAborted()
    const { agent } = await agents.get(id)
    found.push({ id: agent.id, agent_name: agent.agent_name, deleted: false, error: null })
  }
  await confirm(context, found)
  for (const row of found) {
    if (io.signal.aborted) break
    try {
      const { erase, reason } = { erase: options.isOn('erase'), reason: options.text('reason') }
      await agents.delete(row.id, { ifRevision, erase, reason })
      row.deleted = true
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error
      const reason = isGone(error) ? GONE : `was not deleted: ${oneLine(error.message)}`
      const text = `${oneLine(row.agent_name)} ${reason}`
      // Without any change it is an error like every other.
      if (!found.some(({ deleted }) => deleted)) throw isGone(error) ? new Failure(text) : error
      row.error = error.message
      context.note(text)
    }
  }
  const deleted = found.filter((row) => row.deleted)
  const rest = found.length - deleted.length
  const isInterrupted = io.signal.aborted && rest > 0
  if (isInterrupted) context.note(`Interrupted. ${deleted.length} deleted, ${rest} not deleted.`)
  return {
    data: found,
    names: deleted.map(({ id }) => id),
    render: ({ paint }) =>
      deleted.map((row) => `${oneLine(row.agent_name)} ${paint('deleted', 'red')}`).join('\n'),
    exitCode: isInterrupted ? EXIT.interrupted : rest === 0 ? EXIT.done : EXIT.partly,
  }
}

const GONE = 'is gone, but the response was lost: it is not known whether it was erased or only hidden.'

/** After `--erase` only. */
const isGone = (error: ConsoleError) => error instanceof NotFound && error.afterLostResponse

async function confirm({ io, options }: Context, rows: Row[]): Promise<void> {
  if (options.isOn('yes')) return
  if (!io.stdin.isTerminal) throw new UsageError('Without a terminal, a deletion needs --yes.')
  const names = rows.map(({ id, agent_name: name }) => `  ${oneLine(name)}  ${id}`).join('\n')
  const how = options.isOn('erase') ? ' for good' : ''
  if (!(await isConfirmed(io, `Delete${how}:\n${names}\n`))) throw new UsageError('Nothing was deleted.')
}
