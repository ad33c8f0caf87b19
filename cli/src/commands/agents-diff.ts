import type { AgentDiff, Agents } from '@agent-console/sdk'
import { diffLines } from '../agents/line-diff.ts'
import { resolveAgent } from '../agents/resolve.ts'
import { TIMES } from '../agents/show.ts'
import type { Run } from '../context.ts'
import { EXIT, UsageError } from '../failure.ts'
import { readCount } from '../grammar/options.ts'
import { severalLines } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { absoluteTime } from '../output/time.ts'
import { wrap } from '../output/wrap.ts'

export const run: Run = async ({ client, options, args: [agent = '', range] }) => {
  const given = range === undefined ? undefined : readRange(range)
  const console = await client()
  const { agents } = console
  const id = await resolveAgent(console, agent)
  const diff = await compare(agents, id, given)
  const isDifferent = diff.changes.length > 0
  return {
    data: diff,
    names: diff.changes.map(({ field }) => field),
    render: (style) => renderDiff(diff, style),
    exitCode: isDifferent && options.isOn('exit-code') ? EXIT.differences : EXIT.done,
  }
}

interface Range {
  from: number
  to: number | undefined
}

function readRange(text: string): Range {
  const [, from = '', to] = /^([^.]+?)(?:\.\.(.+))?$/.exec(text) ?? []
  if (from === '') throw new UsageError(`${text} is no range of revisions, such as 3 or 3..7.`)
  return {
    from: readCount(from, 'A revision'),
    to: to === undefined ? undefined : readCount(to, 'A revision'),
  }
}

async function compare(agents: Agents, id: string, range: Range | undefined): Promise<AgentDiff> {
  const to = range?.to ?? (await agents.get(id)).revision
  // The first revision has none before it.
  const from = range?.from ?? Math.max(1, to - 1)
  return agents.diff(id, to, { against: from })
}

/** The changes of an agent for people. */
export function renderDiff({ revision, against, changes }: AgentDiff, style: Style): string {
  if (changes.length === 0) return `No differences between revision ${against} and revision ${revision}`
  const head = style.paint(`Revision ${against} → ${revision}`, 'bold')
  return [head, ...changes.map((change) => renderChange(change, style))].join('\n')
}

const COLOURS = { ' ': 'dim', '-': 'red', '+': 'green' } as const
/** Of a sign and the spaces around it. */
const MARGIN = 4

function renderChange({ field, old, new: value }: AgentDiff['changes'][number], style: Style): string {
  const { paint, columns } = style
  const lines = diffLines(toText(field, old), toText(field, value)).flatMap(({ sign, text }) => {
    const parts = columns === undefined ? [text] : wrap(text, Math.max(20, columns - MARGIN))
    return parts.map((part, index) => paint(`  ${index === 0 ? sign : ' '} ${part}`.trimEnd(), COLOURS[sign]))
  })
  return [paint(severalLines(field), 'cyan'), ...lines].join('\n')
}

function toText(field: string, value: unknown): string {
  if (TIMES.includes(field) && typeof value === 'number') return absoluteTime(value)
  return severalLines(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null'))
}
