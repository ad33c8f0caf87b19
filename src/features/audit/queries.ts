import { INSERT_AUDIT_EVENT } from '../../agent/audit-event.ts'
import type { Refusal } from '../../api/caller.ts'
import { REVISION_ACTIONS } from '../../api/events.ts'
import { FIRST_ID, firstIdAt, timeOf } from '../../api/uuid.ts'
import type { Core } from '../../core.ts'
import type { Factory } from '../../platform/observe/metrics.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { named, param, type Statement, unnamed } from '../../platform/postgres/sql.ts'
import type { AuditEvent } from './schema.ts'

/** An event must match all that are present. */
export interface AuditFilters {
  agentId?: string | undefined
  userId?: string | undefined
  action?: string | undefined
  field?: string | undefined
  via?: string | undefined
  clientId?: string | undefined
  /** Unix time in seconds: from `since` on, and before `until`. */
  since?: number | undefined
  until?: number | undefined
}

export interface EventRange {
  order: 'oldest_first' | 'newest_first'
  /** The id where the page before ended. */
  after: string | undefined
  /** Unix time in seconds: only events whose ids are older. */
  recordedBefore?: number
  limit: number
}

export interface FoundEvents {
  events: AuditEvent[]
  /** The `after` of the next page. Undefined if there is none. */
  next: string | undefined
}

/** So many events are examined for one page. An index finds those of a team and of an agent, the other filters need a
 * search. */
const SEARCH_DEPTH = 10_000

/** Whether the page may examine more events than it returns. */
export function isSearch(filters: AuditFilters): boolean {
  return Object.entries(filters).some(([name, value]) => name !== 'agentId' && value !== undefined)
}

export async function findEvents(
  sql: Statements,
  teamId: string,
  filters: AuditFilters,
  { order, after, recordedBefore, limit }: EventRange,
): Promise<FoundEvents> {
  const { agentId, userId, action, field, via, clientId, since, until } = filters
  const isAscending = order === 'oldest_first'
  const lowest = since === undefined ? FIRST_ID : firstIdAt((since - CLOCK_TOLERANCE_S) * 1_000)
  const end = recordedBefore ?? (until === undefined ? undefined : until + CLOCK_TOLERANCE_S)
  const highest = end === undefined ? MAX_ID : firstIdAt(end * 1_000)
  const team = param(teamId)
  // An event as JSON, in the order of its members. The log never changes, so the reason of a revision is only in the
  // revision, where it can be redacted. One event more than the limit shows whether there is a next page.
  const rows = await sql.read<{ is_match: boolean; event: AuditEvent }>(named('search-audit')`
SELECT is_match, json_build_object(
  'id', (event).id, 'at', (event).at, 'user_id', (event).user_id,
  'changed_by_name', (SELECT name FROM users WHERE team_id = ${team} AND user_id = (event).user_id),
  'action', (event).action, 'agent_id', (event).agent_id, 'request_id', (event).request_id, 'via', (event).via,
  'client_id', (event).client_id, 'reason', CASE
    WHEN (event).action = ANY (${ACTIONS_WITH_REVISION}::text[]) THEN (
      SELECT reason FROM agent_revisions
      WHERE team_id = ${team} AND agent_id = (event).agent_id AND revision = ((event).detail ->> 'revision')::bigint
    )
    ELSE (event).detail ->> 'reason'
  END, 'detail', (event).detail
) AS event
FROM search_audit_events(
  ${team},
  ${isAscending && after !== undefined && after > lowest ? after : lowest},
  ${!isAscending && after !== undefined && after < highest ? after : highest},
  ${isAscending},
  ${limit + 1},
  ${isSearch(filters) ? SEARCH_DEPTH : limit + 1},
  ${agentId}, ${userId}, ${action}, ${field}, ${via}, ${clientId}, ${since}, ${until}
)`)
  const matches = rows.filter((row) => row.is_match).map(({ event }) => event)
  const events = matches.slice(0, limit)
  // Where the page is full, or where the search has stopped.
  const last = matches.length > limit ? events.at(-1) : rows.find((row) => !row.is_match)?.event
  return { events, next: last?.id }
}

const ACTIONS_WITH_REVISION = REVISION_ACTIONS.map((action) => `agent_${action}`)

/** Above every id: a UUID version 7 does not begin with these digits before the year 10889. */
const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The time of an event is not exactly that of its id: an agent that a replica with a fast clock has changed keeps
 * that time. */
const CLOCK_TOLERANCE_S = 300

/** As it is stored. The name of the user is stored elsewhere, and the reason of a change is part of `detail` or of the
 * revision. */
export type TeamEvent = Omit<AuditEvent, 'changed_by_name' | 'reason'> & { team_id: string }

/** An event that concerns no agent. */
export function teamEvent(
  { now, newId }: Pick<Core, 'now' | 'newId'>,
  caller: Refusal['caller'],
  action: TeamEvent['action'],
  detail: object,
): TeamEvent {
  return {
    team_id: caller.teamId,
    id: newId(),
    at: Math.floor(now() / 1_000),
    user_id: caller.userId,
    action,
    agent_id: null,
    request_id: caller.requestId,
    via: caller.via,
    client_id: caller.clientId,
    detail: { ...detail },
  }
}

/** The events of any number of teams. One that is stored already stays as it is: after a lost connection a batch is
 * sent again. */
export async function insertEvents(sql: Statements, events: TeamEvent[]): Promise<void> {
  await sql.write(named('insert-audit-events')`
${INSERT_AUDIT_EVENT}
SELECT team_id, id, at, user_id, action, agent_id, request_id, via, client_id, detail::json
FROM unnest(
  ${events.map(({ team_id }) => team_id)}::uuid[],
  ${events.map(({ id }) => id)}::uuid[],
  ${events.map(({ at }) => at)}::bigint[],
  ${events.map(({ user_id }) => user_id)}::uuid[],
  ${events.map(({ action }) => action)}::text[],
  ${events.map(({ agent_id }) => agent_id)}::uuid[],
  ${events.map(({ request_id }) => request_id)}::text[],
  ${events.map(({ via }) => via)}::text[],
  ${events.map(({ client_id }) => client_id)}::text[],
  ${events.map(({ detail }) => JSON.stringify(detail))}::text[]
) AS event (team_id, id, at, user_id, action, agent_id, request_id, via, client_id, detail)
ON CONFLICT DO NOTHING`)
}

/** As many as the baseline creates. A month without a partition would fail every change, so that even a maintenance
 * that is off for months does no harm. */
const MONTHS_AHEAD = 12

/** Creates at most one partition. Months follow each other without a gap, also after a long pause. */
export async function extendAuditPartitions(
  sql: Statements,
  nowSeconds: number,
  setMonthsAhead: (months: number) => void,
): Promise<boolean> {
  const end = await readEnd(sql)
  const ahead = end - monthOf(nowSeconds * 1_000) - 1
  setMonthsAhead(ahead)
  if (ahead >= MONTHS_AHEAD) return false
  await sql.write(unnamed`SELECT create_audit_partition(${toDate(end)})`)
  return true
}

/** Drops what the run before has detached, then detaches the oldest partition if its records are too old.
 * `retentionMonths`: how many whole months before the current one are kept. 0: all. */
export async function expireAuditPartitions(
  sql: Statements,
  nowSeconds: number,
  retentionMonths: number,
): Promise<boolean> {
  if (retentionMonths === 0) return false
  const oldestKept = toDate(monthOf(nowSeconds * 1_000) - retentionMonths)
  const isDropped = await call(sql, unnamed`SELECT drop_expired_audit_partition() AS done`)
  const isExpired = await call(sql, unnamed`SELECT expire_audit_partition(${oldestKept}) AS done`)
  return isDropped || isExpired
}

async function call(sql: Statements, statement: Statement): Promise<boolean> {
  const [row] = await sql.write<{ done: boolean }>(statement)
  return row?.done === true
}

/** The first month without a partition. */
async function readEnd(sql: Statements): Promise<number> {
  const [row] = await sql.read<{ endId: string }>(unnamed`
SELECT end_id AS "endId" FROM audit_partitions ORDER BY end_id DESC LIMIT 1`)
  return monthOf(timeOf(row?.endId ?? ''))
}

/** Months since the year 0. */
function monthOf(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function toDate(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`
}

export function observeAuditPartitions(create: Factory) {
  const ahead = create.gauge(
    'console_audit_partitions_ahead_months',
    'Months after the current one for which the audit log has partitions',
  )
  // Not 0 before the first run: 0 is a reason for an alert.
  ahead.set(Number.NaN)
  return (monthsAhead: number) => ahead.set(monthsAhead)
}
