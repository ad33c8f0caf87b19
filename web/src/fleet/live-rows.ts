import { type AgentEvent, NotFound } from '@agent-console/sdk'
import { type RefObject, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { api } from '../api/client.ts'
import { useUserNames } from '../api/people.tsx'
import { onChanges, onMissedChanges } from '../live/state.ts'
import type { DayOfChanges } from './counts.ts'
import { type FleetRow, replaceRows, toRow } from './list.ts'
import type { ListHandle, People } from './list-parts.tsx'

/** So many agents are read at once, and as often. */
const AT_ONCE = 12
const EVERY_MS = 1000

/**
 * Reads agents on the screen anew after a live change, and marks their rows. No row moves, appears or goes: a row that
 * no longer matches the filters stays until the list is loaded again.
 */
export function useLiveRows(rows: readonly FleetRow[], handle: RefObject<ListHandle | null>): Changes {
  const changes = useChangesSeen()
  const shown = useRef({ rows, changes })
  shown.current = { rows, changes }
  const pending = rows.some((row) => isStale(changes, row))
  useEffect(() => {
    if (!pending) return undefined
    let busy = false
    const sweep = async (): Promise<void> => {
      if (busy) return
      busy = true
      const { rows, changes } = shown.current
      const [from, to] = handle.current?.range() ?? [0, 0]
      await refresh(
        rows.slice(from, to + 1).filter((row) => isStale(changes, row)),
        changes,
      )
      busy = false
    }
    void sweep()
    // Rows that were not in view may have come into view.
    const timer = setInterval(() => void sweep(), EVERY_MS)
    return () => clearInterval(timer)
  }, [pending, changes, handle])
  return changes
}

async function refresh(stale: readonly FleetRow[], { latest }: Changes): Promise<void> {
  const read = await Promise.all(stale.slice(0, AT_ONCE).map((row) => readRow(row, latest.get(row.id))))
  const byId = new Map(read.flatMap((row) => (row === undefined ? [] : [[row.id, row]])))
  replaceRows((row) => {
    const next = byId.get(row.id)
    if (next === undefined) return row
    const drawn = { changes: row.changes + 1, changedAt: Date.now() }
    return { ...next, tags: next.deleted ? row.tags : next.tags, ...drawn }
  })
}

/** undefined: it could not be read now, and is tried again. */
async function readRow(row: FleetRow, change: Change | undefined): Promise<FleetRow | undefined> {
  const gone = { ...row, revision: change?.revision ?? row.revision, deleted: true }
  if (change?.deleted === true) return gone
  try {
    const { agent, revision } = await api().agents.get(row.id, { include_scores: true })
    return toRow(agent, revision)
  } catch (error) {
    return error instanceof NotFound ? gone : undefined
  }
}

/** The newest change of an agent that the stream has told. */
interface Change {
  revision: number
  deleted: boolean
  by: string
}

interface Changes {
  latest: ReadonlyMap<string, Change>
  /** When agents were created, Unix time in milliseconds. */
  created: readonly number[]
  /** When events were missed, or too many came to keep. */
  missedAt: number | undefined
}

const KEPT = 5000
const latest = new Map<string, Change>()
const listeners = new Set<() => void>()
let changes: Changes = { latest, created: [], missedAt: undefined }

// From the first visit on, also while another page is shown: the list that Back restores must know of them.
onChanges(record)
onMissedChanges(() => tell({ missedAt: Date.now() }))

function record(events: readonly AgentEvent[]): void {
  let { created, missedAt } = changes
  for (const { data } of events) {
    const { agent_id: id, revision, action, changed_by: by } = data
    latest.delete(id)
    latest.set(id, { revision, deleted: action === 'deleted', by })
    if (action === 'created') created = [...created.slice(-KEPT), Date.now()]
  }
  for (const id of [...latest.keys()].slice(0, Math.max(0, latest.size - KEPT))) {
    latest.delete(id)
    missedAt = Date.now()
  }
  tell({ created, missedAt })
}

function tell(change: Partial<Changes>): void {
  changes = { ...changes, ...change }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function useChangesSeen(): Changes {
  return useSyncExternalStore(subscribe, () => changes)
}

/** The row is older than the last change of its agent. */
function isStale({ latest }: Changes, { id, revision }: FleetRow): boolean {
  return (latest.get(id)?.revision ?? 0) > revision
}

/** The audit log and the agent may differ by the second in which the change was written. */
const TOLERANCE_S = 2

/**
 * The list does not say who changed an agent last. It is known from a live event, from the audit log of the last day,
 * and for an agent that was never changed: then it is its creator. Else undefined.
 */
export function usePeople(
  rows: readonly FleetRow[],
  changes: Changes,
  day: DayOfChanges | null | undefined,
): (row: FleetRow) => People {
  const creators = useMemo(() => new Set(rows.map(({ createdBy }) => createdBy)), [rows])
  const changers = [...changes.latest.values()].map(({ by }) => by)
  const names = useUserNames([...creators, ...changers])
  return useMemo(() => {
    const nameOf = (id: string): string | null => names.get(id) ?? null
    return (row) => {
      const live = changes.latest.get(row.id)
      const logged = day?.last.get(row.id)
      const creator = nameOf(row.createdBy)
      if (live?.revision === row.revision) return { changer: nameOf(live.by), creator }
      if (logged !== undefined && Math.abs(logged.at - row.updatedAt) <= TOLERANCE_S) {
        return { changer: logged.name ?? nameOf(logged.by), creator }
      }
      return { changer: row.revision === 1 ? creator : undefined, creator }
    }
  }, [names, changes, day])
}
