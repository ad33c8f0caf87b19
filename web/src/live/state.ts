import type { AgentEvent } from '@agent-console/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { keys, queryClient } from '../api/client.ts'

export interface Live {
  state: 'connecting' | 'live' | 'down' | 'paused'
  /** Since when it is down or paused, Unix time in seconds. */
  since?: number | undefined
  /** Of the last change that the stream told, Unix time in seconds. */
  lastChange?: number | undefined
  /** Changes that wait because the tab is paused or because they are gathered. */
  waiting?: number
}

const stateListeners = new Set<() => void>()
let live: Live = { state: 'connecting' }

export function setLive(change: Partial<Live>): void {
  live = { ...live, ...change }
  for (const listener of stateListeners) listener()
}

export function currentLive(): Live {
  return live
}

export function useLive(): Live {
  return useSyncExternalStore(subscribe, currentLive)
}

function subscribe(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}

/** A bulk change of many agents is one change on the screen. */
const GATHER_MS = 150
/** Counts of the whole fleet are read less often than single agents. */
const COUNTS_MS = 2000
/** A tab that is paused for hours keeps no more: afterwards it reads everything again. */
const MAX_GATHERED = 10_000

type Listener = (events: readonly AgentEvent[]) => void

const changeListeners = new Set<Listener>()
const missedListeners = new Set<() => void>()
let gathered: AgentEvent[] = []
/** Those that were not kept are counted as well. */
let waiting = 0
let timer: ReturnType<typeof setTimeout> | undefined
let countsTimer: ReturnType<typeof setTimeout> | undefined

/** Takes an event of the stream. While paused, events wait. */
export function apply(event: AgentEvent): void {
  waiting++
  if (waiting <= MAX_GATHERED) gathered.push(event)
  else gathered = []
  setLive({ lastChange: event.data.changed_at, waiting })
  if (currentLive().state !== 'paused') timer ??= setTimeout(flush, GATHER_MS)
}

/** Applies what has been gathered. */
export function flush(): void {
  clearTimeout(timer)
  timer = undefined
  const events = gathered
  const wereKept = waiting <= MAX_GATHERED
  gathered = []
  waiting = 0
  setLive({ waiting })
  if (!wereKept) return applyAll()
  if (events.length === 0) return
  for (const id of new Set(events.map(({ data }) => data.agent_id))) {
    void queryClient.invalidateQueries({ queryKey: keys.one(id) })
  }
  // A list is only marked as old: its page decides how to show a change without moving rows.
  void queryClient.invalidateQueries({ queryKey: keys.lists, refetchType: 'none' })
  countsTimer ??= setTimeout(() => {
    countsTimer = undefined
    void queryClient.invalidateQueries({ queryKey: keys.allFacets })
  }, COUNTS_MS)
  for (const listener of changeListeners) listener(events)
}

/** Events were missed: all that is shown may be old. */
export function applyAll(): void {
  void queryClient.invalidateQueries({ queryKey: keys.agents })
  for (const listener of missedListeners) listener()
}

/** For what is kept while its page is not shown. */
export function onChanges(listener: Listener): void {
  changeListeners.add(listener)
}

export function onMissedChanges(listener: () => void): void {
  missedListeners.add(listener)
}

/** Calls the listener with the changes of agents, gathered. The listener must not change between renders. */
export function useChanges(listener: Listener): void {
  useEffect(() => {
    changeListeners.add(listener)
    return () => {
      changeListeners.delete(listener)
    }
  }, [listener])
}
