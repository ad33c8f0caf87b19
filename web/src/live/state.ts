import { useSyncExternalStore } from 'react'

export interface Live {
  state: 'connecting' | 'live' | 'down' | 'paused'
  /** Since when it is down or paused, Unix time in seconds. */
  since?: number | undefined
  /** Of the last change that the stream told, Unix time in seconds. */
  lastChange?: number | undefined
  /** Changes that wait because the tab is paused or because they are gathered. */
  waiting?: number
}

const listeners = new Set<() => void>()
let live: Live = { state: 'connecting' }

export function setLive(change: Partial<Live>): void {
  live = { ...live, ...change }
  for (const listener of listeners) listener()
}

export function currentLive(): Live {
  return live
}

export function useLive(): Live {
  return useSyncExternalStore(subscribe, currentLive)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
