import { NotFound } from '@agent-console/sdk'
import { type RefObject, useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import { type Change, type Changes, isStale, useChangesSeen } from './changes.ts'
import { replaceRows } from './list.ts'
import type { ListHandle } from './list-props.ts'
import { type FleetRow, toRow } from './row.ts'

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
