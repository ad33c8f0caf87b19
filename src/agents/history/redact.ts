import { REDACTABLE_REASON, type RevisionRedaction } from '../../contract/history.ts'
import { Problem } from '../../contract/problem.ts'
import { auditOrigin } from '../../platform/database/audit-event.ts'
import type { Sessions, Statements } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { CHANGEABLE_COLUMNS } from '../columns.ts'
import { SNAPSHOT_INTERVAL, snapshotAtOrAfter } from '../snapshot.ts'
import { findChanges, redactReason, redactRevisions, redactSnapshots } from './redact-store.ts'
import { findCurrentRevision } from './store.ts'

interface RedactDeps {
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** So many revisions are searched in one statement, and so many snapshots are written. A history can have millions of
 * revisions, and a snapshot 512 KiB. */
const REVISIONS_PER_STATEMENT = 10_000
const SNAPSHOTS_PER_STATEMENT = 20

export type Redact = ReturnType<typeof createRedact>

/** Removes from history the values that fields had at a revision. A value is stored in the revision that replaced
 * it, and in the snapshots from the revision that set it on. If the removal is interrupted, the same request
 * completes it. */
export function createRedact({ sql, now, newId }: RedactDeps) {
  /** For each field, the first or the last revision of the ranges that changed it. */
  async function search(
    statements: Statements,
    { teamId }: Caller,
    id: string,
    { ranges, names, which }: { ranges: Iterable<Range>; names: string[]; which: 'first' | 'last' },
  ): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (const range of ranges) {
      const fields = names.filter((name) => !found.has(name))
      if (fields.length === 0) break
      for (const { field, revision } of await findChanges(statements, teamId, id, {
        ...range,
        fields,
        which,
      })) {
        found.set(field, revision)
      }
    }
    return found
  }

  return async (
    caller: Caller,
    id: string,
    revision: number,
    fields: RevisionRedaction['fields'],
  ): Promise<void> => {
    const { teamId, reason } = caller
    const statements = sql.of(teamId)
    const all = [...new Set(fields)]
    const names = all.filter((name) => name !== REDACTABLE_REASON)
    const current = await findCurrentRevision(statements, teamId, id)
    if (current === undefined) throw new Problem('agent_not_found')
    if (revision > current) throw new Problem('revision_not_found')

    const later = slices(revision + 1, current)
    const replaced = await search(statements, caller, id, { ranges: later, names, which: 'first' })
    const inUse = names.filter((name) => !replaced.has(name))
    if (inUse.length > 0) {
      throw new Problem('value_in_use', {
        detail: `The agent still has this value of ${inUse.join(', ')}. Change the field first, then redact.`,
      })
    }
    const earlier = [...slices(1, revision)].toReversed()
    const set = await search(statements, caller, id, { ranges: earlier, names, which: 'last' })

    const target = { teamId, id, placeholders: PLACEHOLDERS }
    // First, because it writes the audit event: no value is removed without a trace.
    await redactRevisions(statements, {
      ...target,
      storedIn: [...replaced].map(([field, storedIn]) => ({ field, revision: storedIn })),
      now: Math.floor(now() / 1_000),
      origin: auditOrigin(caller, newId()),
      auditDetail: { revision, fields: all, reason },
    })
    if (all.length > names.length) await redactReason(statements, teamId, id, revision)
    for (const [field, replacedAt] of replaced) {
      for (const some of snapshotsBetween(set.get(field) ?? 1, replacedAt - 1)) {
        await redactSnapshots(statements, target, field, some)
      }
    }
  }
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

/** Null where the field may be null. */
const PLACEHOLDERS: Record<string, unknown> = Object.fromEntries(
  CHANGEABLE_COLUMNS.map((column) => {
    const { name, type } = column
    if (!('ignoresNull' in column)) return [name, null]
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
