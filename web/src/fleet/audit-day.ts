import type { AuditEvent } from '@agent-console/sdk'

const BARS = 24

const CHANGES: ReadonlySet<string> = new Set([
  'agent_created',
  'agent_updated',
  'agent_restored',
  'agent_trust_stage_changed',
  'agent_deleted',
  'agent_recovered',
])

export interface DayOfChanges {
  /** Of the changes since `from`. */
  count: number
  /** The audit log has more events of this day than one page: the bars begin with the oldest event of the page. */
  more: boolean
  from: number
  to: number
  bars: readonly number[]
  /** The last change of each agent: who made it, and when. */
  last: ReadonlyMap<string, { by: string; name: string | null; at: number }>
}

/** `events` are the newest ones, newest first. */
export function summarise(
  events: readonly AuditEvent[],
  { from, to, more }: Pick<DayOfChanges, 'from' | 'to' | 'more'>,
): DayOfChanges {
  const start = more ? (events.at(-1)?.at ?? from) : from
  const width = Math.max(1, to - start) / BARS
  const bars = Array.from({ length: BARS }, () => 0)
  const last = new Map<string, { by: string; name: string | null; at: number }>()
  let count = 0
  for (const { at, action, agent_id: id, user_id: by, changed_by_name: name } of events) {
    if (!CHANGES.has(action)) continue
    count += 1
    const bar = Math.min(BARS - 1, Math.max(0, Math.floor((at - start) / width)))
    bars[bar] = (bars[bar] ?? 0) + 1
    if (id !== null && !last.has(id)) last.set(id, { by, name, at })
  }
  return { count, more, from: start, to, bars, last }
}
