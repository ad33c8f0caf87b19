import type { Agents, WatchedEvent } from '@agent-console/sdk'
import { resolveAgents } from '../agents/resolve.ts'
import type { Context, Run } from '../context.ts'
import { colourOf } from '../output/colours.ts'
import { toYaml } from '../output/print.ts'
import { oneLine } from '../output/safe-text.ts'
import { absoluteTime, timeOfDay } from '../output/time.ts'
import { cut, pad } from '../output/width.ts'

export const run: Run = async (context) => {
  const { io, client, options, args, print, note } = context
  const limit = options.count('limit') ?? Number.POSITIVE_INFINITY
  const console = await client()
  const { agents } = console
  io.endWithReader()
  const agentIds = await resolveAgents(console, args)
  const nameOf = createNames(agents)
  let count = 0
  for await (const event of agents.watch({
    signal: io.signal,
    lastEventId: options.text('since'),
    ...(agentIds.length > 0 && { agentIds }),
    onState: (state) =>
      note(
        state.connected
          ? 'Watching. Ctrl-C ends it.'
          : `Interrupted (${state.error.message}). Connecting again.`,
      ),
  })) {
    print(await formatEvent(event, context, nameOf))
    count += 1
    if (count >= limit) break
  }
  return undefined
}

type NameOf = (id: string) => Promise<string>

async function formatEvent(event: WatchedEvent, context: Context, nameOf: NameOf): Promise<string> {
  const { format, style, io } = context
  if (format === 'json') return `${JSON.stringify(event)}\n`
  if (format === 'yaml') return `---\n${await toYaml(event)}`
  if (format === 'name') return `${event.data.subject}\n`
  const { agent_id: id, revision, action, fields, changed_at: at, reason } = event.data.data
  const { columns } = io.stdout
  // A person reads names; a file keeps what identifies the agent.
  const [time, name] = columns === undefined ? [absoluteTime(at), id] : [timeOfDay(at), await nameOf(id)]
  const changed = action === 'created' ? '' : fields.join(', ')
  const words = [time, pad(action, ACTION_WIDTH), name, `revision ${revision}`, changed, reason ?? '']
  const line = oneLine(words.filter(Boolean).join('  ')).trimEnd()
  return `${(columns === undefined ? line : cut(line, columns)).replace(action, style.paint(action, colourOf(action)))}\n`
}

const ACTION_WIDTH = 'trust_stage_changed'.length
const MAX_NAMES = 1_000

/** The names of agents as they were when they were first seen. Events have none. */
function createNames(agents: Agents): NameOf {
  const names = new Map<string, string>()
  return async (id) => {
    const known = names.get(id)
    if (known !== undefined) return known
    // A deleted agent has none.
    const name = await agents.get(id).then(
      ({ agent }) => agent.agent_name,
      () => id,
    )
    if (names.size < MAX_NAMES) names.set(id, name)
    return name
  }
}
