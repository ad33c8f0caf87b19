import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { named, param, raw } from '../../platform/postgres/sql.ts'
import { type AuditOrigin, auditEvent, auditOrigin } from '../audit-event.ts'
import { CHANGEABLE_COLUMNS, SNAPSHOT_INTERVAL, snapshotAtOrAfter } from '../columns.ts'
import { findCurrentRevision } from './past-agent.ts'
import { REDACTABLE_REASON, type RevisionRedaction } from './schema.ts'

/** So many revisions are searched in one statement, and so many snapshots are written. A history can have millions of
 * revisions, and a snapshot 512 KiB. */
const REVISIONS_PER_STATEMENT = 10_000
const SNAPSHOTS_PER_STATEMENT = 20

/** Removes from history the values that fields had at a revision. A value is stored in the revision that replaced
 * it, and in the snapshots from the revision that set it on. If the removal is interrupted, the same request
 * completes it. */
export async function redactRevision(
  { database, now, newId }: Core,
  caller: Caller,
  id: string,
  revision: number,
  fields: RevisionRedaction['fields'],
): Promise<void> {
  const { teamId, reason } = caller
  const sql = database.of(teamId)
  const all = [...new Set(fields)]
  const names = all.filter((name) => name !== REDACTABLE_REASON)
  const current = await findCurrentRevision(sql, teamId, id)
  if (current === undefined) throw new Problem('agent_not_found')
  if (revision > current) throw new Problem('revision_not_found')

  const later = slices(revision + 1, current)
  const replaced = await searchChanges(sql, teamId, id, { ranges: later, names, which: 'first' })
  const inUse = names.filter((name) => !replaced.has(name))
  if (inUse.length > 0) {
    throw new Problem('value_in_use', {
      detail: `The agent still has this value of ${inUse.join(', ')}. Change the field first, then redact.`,
    })
  }
  const earlier = [...slices(1, revision)].toReversed()
  const set = await searchChanges(sql, teamId, id, { ranges: earlier, names, which: 'last' })

  // First, because it writes the audit event: no value is removed without a trace.
  await redactRevisions(sql, {
    teamId,
    id,
    storedIn: [...replaced].map(([field, storedIn]) => ({ field, revision: storedIn })),
    now: Math.floor(now() / 1_000),
    origin: auditOrigin(caller, newId()),
    auditDetail: { revision, fields: all, reason },
  })
  if (all.length > names.length) await redactReason(sql, teamId, id, revision)
  for (const [field, replacedAt] of replaced) {
    for (const some of snapshotsBetween(set.get(field) ?? 1, replacedAt - 1)) {
      await redactSnapshots(sql, teamId, id, field, some)
    }
  }
}

/** For each field, the first or the last revision of the ranges that changed it. */
async function searchChanges(
  sql: Statements,
  teamId: string,
  id: string,
  { ranges, names, which }: { ranges: Iterable<Range>; names: string[]; which: 'first' | 'last' },
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const range of ranges) {
    const fields = names.filter((name) => !found.has(name))
    if (fields.length === 0) break
    const changes = await findChanges(sql, teamId, id, { ...range, fields, which })
    for (const { field, revision } of changes) found.set(field, revision)
  }
  return found
}

interface Range {
  from: number
  to: number
}

function* slices(first: number, last: number): Generator<Range> {
  for (let from = first; from <= last; from += REVISIONS_PER_STATEMENT) {
    yield { from, to: Math.min(from + REVISIONS_PER_STATEMENT - 1, last) }
  }
}

const OBJECTS = ['import_metadata', 'capabilities']

/** What stands in place of each value: null where the field may be null. */
const PLACEHOLDERS: Record<string, unknown> = Object.fromEntries(
  CHANGEABLE_COLUMNS.map(({ name, type, ignoresNull }) => {
    if (!ignoresNull) return [name, null]
    return [name, OBJECTS.includes(name) ? {} : type === 'json' ? [] : '[redacted]']
  }),
)

function* snapshotsBetween(from: number, to: number): Generator<number[]> {
  let some: number[] = []
  for (let revision = snapshotAtOrAfter(from); revision <= to; revision += SNAPSHOT_INTERVAL) {
    some.push(revision)
    if (some.length === SNAPSHOTS_PER_STATEMENT) {
      yield some
      some = []
    }
  }
  if (some.length > 0) yield some
}

/** For each of the fields, the first or the last revision of a range that changed it. */
async function findChanges(
  sql: Statements,
  teamId: string,
  id: string,
  { from, to, fields, which }: { from: number; to: number; fields: string[]; which: 'first' | 'last' },
): Promise<{ field: string; revision: number }[]> {
  return sql.read(named(`find-${which}-changes`)`
SELECT field, ${raw(which === 'first' ? 'min' : 'max')}(revision) AS revision
FROM agent_revisions CROSS JOIN LATERAL unnest(fields) AS field
WHERE team_id = ${teamId} AND agent_id = ${id} AND revision BETWEEN ${from} AND ${to}
  AND field = ANY (${fields}::text[])
GROUP BY field`)
}

interface Redaction {
  teamId: string
  id: string
  /** Each field, with the revision that stores its value as the one before the change. */
  storedIn: { field: string; revision: number }[]
  now: number
  origin: AuditOrigin
  /** What the audit event says. */
  auditDetail: object
}

/** Removes the values from the revisions that replaced them, and writes the audit event. */
async function redactRevisions(sql: Statements, redaction: Redaction): Promise<void> {
  const { teamId, id, storedIn, now, origin, auditDetail } = redaction
  const fields = storedIn.map(({ field }) => field)
  const team = param(teamId)
  const agent = param(id)
  await sql.write(named('redact-revisions')`
WITH redacted AS (
  UPDATE agent_revisions r SET
    before = (
      SELECT json_object_agg(
        key, CASE WHEN key = ANY (given.fields) THEN ${JSON.stringify(PLACEHOLDERS)}::json -> key ELSE value END
      )
      FROM json_each(r.before)
    ),
    redacted = ARRAY(SELECT unnest(r.redacted) UNION SELECT unnest(given.fields) ORDER BY 1)
  FROM (
    SELECT revision, array_agg(field) AS fields
    FROM unnest(${storedIn.map((each) => each.revision)}::bigint[], ${fields}::text[]) AS t (revision, field)
    GROUP BY revision
  ) given
  WHERE r.team_id = ${team} AND r.agent_id = ${agent} AND r.revision = given.revision
)
${auditEvent(origin, {
  team,
  at: now,
  action: 'agent_revision_redacted',
  agent,
  detail: JSON.stringify(auditDetail),
})}`)
}

/** Removes the reason of a revision, also from an event that is not delivered yet. */
async function redactReason(sql: Statements, teamId: string, id: string, revision: number): Promise<void> {
  const team = param(teamId)
  const agent = param(id)
  const atRevision = param(revision)
  await sql.write(named('redact-reason')`
WITH redacted_event AS (
  UPDATE outbox SET payload = (SELECT json_object_agg(key, value) FROM json_each(payload) WHERE key <> 'reason')
  WHERE team_id = ${team} AND aggregateid = ${agent} AND revision = ${atRevision}
)
UPDATE agent_revisions
SET reason = NULL, redacted = ARRAY(SELECT unnest(redacted) UNION SELECT '${raw(REDACTABLE_REASON)}' ORDER BY 1)
WHERE team_id = ${team} AND agent_id = ${agent} AND revision = ${atRevision}`)
}

/** Removes the value of a field from the snapshots of these revisions. Passes over those that have it no longer. */
async function redactSnapshots(
  sql: Statements,
  teamId: string,
  id: string,
  field: string,
  revisions: number[],
): Promise<void> {
  const ofField = param(field)
  await sql.write(named('redact-snapshots')`
UPDATE agent_revisions SET snapshot = (
  SELECT json_object_agg(key, value) FROM (
    SELECT key, CASE key WHEN ${ofField} THEN ${JSON.stringify(PLACEHOLDERS[field])}::json ELSE value END AS value
    FROM json_each(snapshot)
    WHERE key <> 'redacted'
    UNION ALL
    SELECT 'redacted', to_json(array_agg(name))
    FROM (SELECT json_array_elements_text(snapshot -> 'redacted') AS name UNION SELECT ${ofField}) names
  ) members
)
WHERE team_id = ${teamId} AND agent_id = ${id} AND revision = ANY (${revisions}::bigint[])
  AND ${ofField} NOT IN (SELECT json_array_elements_text(snapshot -> 'redacted'))`)
}
