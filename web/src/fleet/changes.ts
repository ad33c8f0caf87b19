import type { AgentEvent } from '@agent-console/sdk'
import { useSyncExternalStore } from 'react'
import { onChanges, onMissedChanges } from '../live/apply.ts'
import type { FleetRow } from './row.ts'

/** The newest change of an agent that the stream has told. */
export interface Change {
  revision: number
  deleted: boolean
  by: string
}

export interface Changes {
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

export function useChangesSeen(): Changes {
  return useSyncExternalStore(subscribe, () => changes)
}

/** The row is older than the last change of its agent. */
export function isStale({ latest }: Changes, { id, revision }: FleetRow): boolean {
  return (latest.get(id)?.revision ?? 0) > revision
}
