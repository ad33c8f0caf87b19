import type { AuditEvent } from '../contract/audit.ts'
import { REVISION_ACTIONS } from '../contract/history.ts'
import { INSERT_AUDIT_EVENT } from '../platform/database/audit-event.ts'
import type { Statements } from '../platform/database/database.ts'
import { named, param } from '../platform/database/sql.ts'
import { FIRST_ID, firstIdAt } from '../platform/id-time.ts'
import type { TeamEvent } from './refusals.ts'

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
